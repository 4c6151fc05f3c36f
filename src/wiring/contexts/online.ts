import { openLiveCollection } from '../../adapters/contextualize/live-collection.ts'
import type { ProjectFolder } from '../../adapters/projects/project-folder.ts'
import type { Member } from '../../cluster/member.ts'
import type { Config } from '../../config.ts'
import type { ContextWriter } from '../../contexts/context.ts'
import { createRulesWriter } from '../../contexts/rules/rules-writer.ts'
import { costOf } from '../../contexts/spending/prices.ts'
import type { ContextualizeDependencies } from '../../contextualize/dependencies.ts'
import { type Recognised, recogniseEncoding } from '../../contextualize/encoding/recognise.ts'
import type { LiveCollection } from '../../contextualize/live-collection.ts'
import { createUpsertNotice, type WrittenPoints } from '../../contextualize/online/notice-upserts.ts'
import { createOnlineContexts, type LaneName } from '../../contextualize/online/online-contexts.ts'
import { onlineFolder, openState, type RunState, stateFolderOf } from '../../contextualize/state/state-folder.ts'
import { openTenantRules } from '../../contextualize/tenants.ts'
import { batchesOf } from '../../core/collections.ts'
import { messageOf, StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { lockFolder } from '../../files/folder-lock.ts'
import type { Step } from '../../http/step.ts'
import type { Reporter } from '../../observe/events.ts'
import type { Project } from '../../projects/project.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import type { PayloadMappings } from '../../qdrant/payload/mappings.ts'
import { endpointAllowed } from '../../tenants/context-endpoints.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { createTokenizer } from '../../text/tokens.ts'
import type { Models } from '../models.ts'
import { watchOnlineProjects } from './online-projects.ts'
import { openContextWriter, openPrice } from './open-writer.ts'

interface OnlineDependencies {
  /** Null for a process alone. Of workers, the first one writes the contexts, because the state on the disk is locked. */
  member: Member | null
  http: QdrantHttp
  /** The configured key: contexts are written when no client waits. */
  apiKey: string | null
  projects: Pick<ProjectFolder, 'list'>
  mappings: PayloadMappings
  models: Pick<Models, 'embedder' | 'unavailable'>
  /** Null without tenants. */
  tenants: { readonly tenants: readonly Tenant[] } | null
  reporter: Reporter
}

/** Contexts for the points that clients write. */
interface OnlineContextsService {
  noticeUpserts: Step
  readonly pauses: readonly string[]
  close(): Promise<void>
}

/** How long the end waits for the batch in flight: a part of the time that `serve` has. */
const GRACE_MS = 3_000
/** How long it is believed how the vectors of a collection are made: somebody may make it anew. */
const ENCODING_MS = 60_000
/** Texts of one call of an embedder in this process, so that queries do not wait for many of them. */
const TEXTS_AT_A_TIME = 4

/** What stays open for a collection. */
interface OpenCollection {
  live: LiveCollection
  states: Map<LaneName, RunState>
  recognised: { at: number; by: string; encoding: Recognised['encoding'] } | null
}

/** Opens the queue of new points. It does nothing for collections without a project with contexts. */
export async function openOnlineContexts(
  config: Config,
  { http, apiKey, projects, mappings, models, tenants, reporter, member }: OnlineDependencies,
): Promise<OnlineContextsService> {
  const { count: countTokens } = createTokenizer(config.plan.tokenizerModel)
  const rules = observed(createRulesWriter({ countTokens }), config, reporter)
  const writers = new Map<string, ContextWriter>()
  const opened = new Map<string, OpenCollection>()
  const watched = await watchOnlineProjects(projects)

  /** Writers are kept, because they hold the limits of the endpoint. */
  function writerOf({ context }: Project): ContextWriter {
    const { writer: kind = 'off', prompt_file: prompt } = context ?? {}
    if (kind === 'rules' || kind === 'off') return rules
    const key = JSON.stringify([kind, prompt])
    const settings = { ...config.settings, ...(prompt && { CONTEXT_PROMPT_FILE: prompt }) }
    const writer =
      writers.get(key) ?? observed(openContextWriter({ ...config, settings }, kind, countTokens), config, reporter)
    writers.set(key, writer)
    return writer
  }

  function collectionOf(name: string): OpenCollection {
    const known = opened.get(name)
    if (known !== undefined) return known
    const live = openLiveCollection({ http, apiKey, collection: name, mapping: mappings[name] })
    const fresh: OpenCollection = { live, states: new Map(), recognised: null }
    opened.set(name, fresh)
    return fresh
  }

  async function encodingOf(collection: OpenCollection, { former }: RunState, embedder: Embedder | null) {
    const { recognised, live } = collection
    const by = embedder?.version ?? ''
    if (recognised !== null && recognised.by === by && performance.now() - recognised.at < ENCODING_MS)
      return recognised.encoding
    const { encoding } = await recogniseEncoding(live, embedder, former, models.unavailable.embedder)
    collection.recognised = { at: performance.now(), by, encoding }
    return encoding
  }

  async function open(name: string, lane: LaneName): Promise<ContextualizeDependencies> {
    const project = watched.find(name)
    if (project === null) throw new StowageError('collection_not_found', `no project has contexts for ${name}`)
    const writer = lane === 'rules' ? rules : writerOf(project)
    const collection = collectionOf(name)
    const state =
      collection.states.get(lane) ?? openStateOf(stateFolderOf(name, config.settings.CONTEXT_STATE_FOLDER), lane)
    collection.states.set(lane, state)
    const embedder = models.embedder && inSmallCalls(models.embedder)
    const encoding = await encodingOf(collection, state, embedder)
    const allowed = (tenant: Tenant) => endpointAllowed(tenant, writer.endpoint)
    const tenantRules = await openTenantRules(collection.live, tenants?.tenants ?? null, allowed)
    return { collection: collection.live, writer, rules, embedder, encoding, ...tenantRules, state, budget: null }
  }

  const online = createOnlineContexts({
    find: name => {
      const project = watched.find(name)
      if (project === null) return null
      return { hasModel: project.context?.writer !== 'rules', mapping: mappings[name] }
    },
    open,
    onLost: ({ lane, ...event }) =>
      reporter.contextsLost({ ...event, model: lane === 'rules' ? rules.model : modelOf(config) }),
    onPaused: event => reporter.contextsPaused(event),
    onQueued: event => reporter.contextsQueued(event),
    mostPoints: config.settings.CONTEXT_QUEUE_POINTS,
  })
  const offer = (points: WrittenPoints) =>
    member !== null && !member.start.isFirst ? member.peers.tellFirst('pointsWritten', points) : online.offer(points)
  member?.peers.on('pointsWritten', points => online.offer(points))
  return {
    noticeUpserts: createUpsertNotice({
      isWanted: name => watched.find(name) !== null,
      onWritten: points => offer(points),
      onUnread: event => reporter.contextsLost({ ...event, model: rules.model, points: null, outcome: 'dropped' }),
    }),
    get pauses() {
      return online.pauses
    },
    close: async () => {
      watched.close()
      await online.close(GRACE_MS)
      for (const { states } of opened.values()) for (const state of states.values()) state.close()
    },
  }
}

/** The label of the model that a project asks. */
const modelOf = ({ settings }: Config): string => settings.CONTEXT_MODEL ?? 'none'

/** The writers that metrics can name. */
export const contextModels = ({ settings: { CONTEXT_MODEL: model } }: Config): string[] =>
  model === undefined ? ['rules'] : ['rules', model]

/** @throws StowageError `unprocessable`, because it does not help to try again soon */
function openStateOf(folder: string, lane: LaneName): RunState {
  try {
    return openState(onlineFolder(folder, lane), lockFolder)
  } catch (error) {
    const message = messageOf(error)
    throw new StowageError('unprocessable', `the state cannot be opened: ${message}`, { cause: error })
  }
}

/** A writer that reports its contexts. Between two of them the event loop has a turn, because the rules do not wait for anything. */
function observed(writer: ContextWriter, config: Config, reporter: Reporter): ContextWriter {
  const price = openPrice(config, writer)
  return {
    ...writer,
    write: async (request, signal) => {
      await new Promise(resolve => setImmediate(resolve))
      const context = await writer.write(request, signal)
      reporter.contextWritten({ model: writer.model, context, dollars: costOf(context.usage, price) })
      return context
    },
  }
}

function inSmallCalls(embedder: Embedder): Embedder {
  // An endpoint takes many texts at a time, and its queries do not wait.
  if (embedder.expectedWaitMs === undefined) return embedder
  return {
    ...embedder,
    embedPassages: async (texts, signal) => {
      const vectors: Float32Array[] = []
      for (const batch of batchesOf(texts, TEXTS_AT_A_TIME))
        vectors.push(...(await embedder.embedPassages(batch, signal)))
      return vectors
    },
  }
}

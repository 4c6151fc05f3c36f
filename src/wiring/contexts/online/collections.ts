import { openLiveCollection } from '../../../adapters/contextualize/live-collection.ts'
import type { Config } from '../../../config.ts'
import type { ContextualizeDependencies } from '../../../contextualize/dependencies.ts'
import { type Recognised, recogniseEncoding } from '../../../contextualize/encoding/recognise.ts'
import type { LiveCollection } from '../../../contextualize/live-collection.ts'
import type { LaneName } from '../../../contextualize/online/online-contexts.ts'
import { onlineFolder, openState, type RunState, stateFolderOf } from '../../../contextualize/state/state-folder.ts'
import { openTenantRules } from '../../../contextualize/tenants.ts'
import { batchesOf, getOrInsert } from '../../../core/collections.ts'
import { messageOf, StowageError } from '../../../core/errors.ts'
import type { Embedder } from '../../../core/ports.ts'
import { lockFolder } from '../../../files/folder-lock.ts'
import type { Project } from '../../../projects/project.ts'
import type { QdrantHttp } from '../../../qdrant/client.ts'
import type { PayloadMappings } from '../../../qdrant/payload/mappings.ts'
import { endpointAllowed } from '../../../tenants/context-endpoints.ts'
import type { Tenant } from '../../../tenants/tenant.ts'
import type { Models } from '../../models.ts'
import type { OnlineWriters } from './writers.ts'

export interface OnlineCollectionsOptions {
  http: QdrantHttp
  /** The configured key: contexts are written when no client waits. */
  apiKey: string | null
  mappings: PayloadMappings
  models: Pick<Models, 'embedder' | 'unavailable'>
  /** Null without tenants. */
  tenants: { readonly tenants: readonly Tenant[] } | null
}

/** How long it is believed how the vectors of a collection are made, in milliseconds: somebody may make it anew. */
const ENCODING_MS = 60_000
/** Texts of one call of an embedder in this process, so that queries do not wait for many of them. */
const TEXTS_AT_A_TIME = 4

/** What stays open for a collection. */
interface OpenCollection {
  live: LiveCollection
  states: Map<LaneName, RunState>
  recognised: { at: number; by: string; encoding: Recognised['encoding'] } | null
}

/** The collections whose new points get contexts, each with what stays open for it. */
export class OnlineCollections {
  readonly #options: OnlineCollectionsOptions
  readonly #stateFolder: Config['settings']['CONTEXT_STATE_FOLDER']
  readonly #writers: OnlineWriters
  readonly #opened = new Map<string, OpenCollection>()

  constructor({ settings }: Config, writers: OnlineWriters, options: OnlineCollectionsOptions) {
    this.#options = options
    this.#stateFolder = settings.CONTEXT_STATE_FOLDER
    this.#writers = writers
  }

  /** What a lane needs to write contexts for a project as it is now. @throws StowageError when it cannot be had */
  async open(project: Project, lane: LaneName): Promise<ContextualizeDependencies> {
    const { rules } = this.#writers
    const writer = lane === 'rules' ? rules : this.#writers.of(project)
    const collection = this.#collectionOf(project.collection)
    const state = this.#stateOf(collection, project.collection, lane)
    const { models, tenants } = this.#options
    const embedder = models.embedder && inSmallCalls(models.embedder)
    const encoding = await this.#encodingOf(collection, state, embedder)
    const allowed = (tenant: Tenant) => endpointAllowed(tenant, writer.endpoint)
    const tenantRules = await openTenantRules(collection.live, tenants?.tenants ?? null, allowed)
    return { collection: collection.live, writer, rules, embedder, encoding, ...tenantRules, state, budget: null }
  }

  close(): void {
    for (const { states } of this.#opened.values()) for (const state of states.values()) state.close()
  }

  #collectionOf(name: string): OpenCollection {
    return getOrInsert(this.#opened, name, () => {
      const { http, apiKey, mappings } = this.#options
      const live = openLiveCollection({ http, apiKey, collection: name, mapping: mappings[name] })
      return { live, states: new Map(), recognised: null }
    })
  }

  #stateOf({ states }: OpenCollection, name: string, lane: LaneName): RunState {
    return getOrInsert(states, lane, () => openStateOf(stateFolderOf(name, this.#stateFolder), lane))
  }

  async #encodingOf(
    collection: OpenCollection,
    { former }: RunState,
    embedder: Embedder | null,
  ): Promise<Recognised['encoding']> {
    const { recognised, live } = collection
    const by = embedder?.version ?? ''
    if (recognised !== null && recognised.by === by && performance.now() - recognised.at < ENCODING_MS)
      return recognised.encoding
    const { encoding } = await recogniseEncoding(live, embedder, former, this.#options.models.unavailable.embedder)
    collection.recognised = { at: performance.now(), by, encoding }
    return encoding
  }
}

/** @throws StowageError `unprocessable`, because it does not help to try again soon */
function openStateOf(folder: string, lane: LaneName): RunState {
  try {
    return openState(onlineFolder(folder, lane), lockFolder)
  } catch (error) {
    const message = messageOf(error)
    throw new StowageError('unprocessable', `the state cannot be opened: ${message}`, { cause: error })
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

import { randomUUID } from 'node:crypto'
import { openPlanFolder } from '../adapters/flags/plan-folder.ts'
import { createQdrantAdmin } from '../adapters/qdrant/admin.ts'
import type { DoctorCommandDependencies } from '../commands/doctor.ts'
import type { FlagsCommandDependencies } from '../commands/flags.ts'
import type { IngestCommandDependencies } from '../commands/ingest.ts'
import type { ReplayCommandDependencies } from '../commands/replay/session.ts'
import { type Config, loadConfig } from '../config.ts'
import { redactUrls } from '../core/redact-urls.ts'
import { openTogether } from '../core/work/opened.ts'
import { createReplayDependencies } from '../evaluation/replay/run.ts'
import { listFlags } from '../flags/list.ts'
import { readPayload } from '../flags/payloads.ts'
import { projectVariables } from '../projects/encoder-variables.ts'
import type { FindProject } from '../projects/project.ts'
import { createTokenizer } from '../text/tokens.ts'
import { openIngestContexts } from './contexts/ingest-contexts.ts'
import { openContextWriter } from './contexts/open-writer.ts'
import { openJudge } from './evaluation/judge.ts'
import { openAskedCollection } from './evaluation/live-collection.ts'
import { ingestInto, openIngestEmbedder } from './ingest.ts'
import { localModels, openModels } from './models.ts'
import { mappingsWithProjects, openProjects } from './projects/open-projects.ts'
import { replayWorld } from './replay.ts'
import { probeRerankNodes } from './rerank/nodes.ts'
import { type Flags, openFlags } from './rollout/flags.ts'
import { checkRollbackFile } from './rollout/open-rollout.ts'
import { unwritableFiles } from './serve/written-files.ts'
import { checkSharedStore } from './shared/shared-state.ts'
import { readTenants } from './tenants.ts'
import { openUpstream, type Upstream } from './upstream.ts'

function placeOf({ embedded, url }: Pick<Upstream, 'embedded' | 'url'>, folder: string | undefined): string {
  if (!embedded) return url
  return folder === undefined ? 'memory, because neither QDRANT_URL nor EMBEDDED_PATH is set' : `the folder ${folder}`
}

export const openIngest: IngestCommandDependencies['open'] = async (where, project, { context, ...points }) => {
  const config = loadConfig(undefined, project === null ? {} : projectVariables(project))
  const { tokenizerModel } = config.plan
  const { count } = createTokenizer(tokenizerModel)
  const contexts = await openIngestContexts(config, context, points, count)
  const { embedder, unavailable, isSet } = await openIngestEmbedder(config)
  const upstream = await openUpstream(config, where)
  const { EMBEDDED_PATH: folder } = config.settings
  return {
    ...ingestInto(upstream, embedder, tokenizerModel),
    contexts,
    place: placeOf(upstream, folder),
    unavailable,
    isEmbedderSet: isSet,
    durable: !upstream.embedded || folder !== undefined,
    close: async () => {
      await embedder?.close()
      await upstream.close()
    },
  }
}

/** For `--project`. */
export const findProject: FindProject = name => openProjects(loadConfig()).find(name)

export const openReplay: ReplayCommandDependencies['open'] = async ({ context = 'rules', ...where }) => {
  const config = loadConfig()
  const directory = await readTenants(config)
  const tenants = directory && { tenants: directory.tenants, configured: config.plan }
  const models = await openModels(config)
  const { tokenizerModel } = config.plan
  const { QDRANT_URL: configuredUrl, EMBEDDED_PATH: path, MAPPINGS: mappings } = config.settings
  const collections = {
    openLive: (collection: string) => openAskedCollection(config, { ...where, collection }),
    liveServer: { url: where.url ?? configuredUrl ?? path, mappings },
    contexts: once(() => openContextWriter(config, context, createTokenizer(tokenizerModel).count)),
    contextualTwins: config.settings.CONTEXTUAL_COLLECTIONS,
  }
  return {
    ...createReplayDependencies({ ...replayWorld(models, tokenizerModel, collections, localModels(config)), tenants }),
    openJudge: cacheFolder => openJudge(config, models.embedder, cacheFolder),
    close: () => models.close(),
  }
}

export { openGoldenDocuments, referenceTokens } from './evaluation/golden-documents.ts'
export { openLiveCollection } from './evaluation/live-collection.ts'
export { openProjectCommand } from './projects/project-command.ts'

export const openDoctor: DoctorCommandDependencies['open'] = where =>
  openTogether(async opened => {
    const config = loadConfig()
    const tenants = (await readTenants(config))?.tenants ?? null
    const upstream = opened.keep(await openUpstream(config, where))
    const models = opened.keep(await openModels(config))
    const { url, embedded } = upstream
    const { embedder, reranker, unavailable, warnings: modelWarnings } = models
    const { unknownVariables, settings } = config
    await checkRollbackFile(config)
    const flags = opened.keep(await openFlagsOnce(config))
    const setup = {
      ...{ url, embedded, embedder, reranker, unavailable, modelWarnings, unknownVariables, tenants },
      mappings: await mappingsWithProjects(openProjects(config), config),
      unwritable: await unwritableFiles(config),
      flagFaults: flags.faults(),
      sharedStore: settings.REDIS_URL === undefined ? null : { fault: await checkSharedStore(settings) },
      rerankNodes: await probeRerankNodes(config),
    }
    return { setup, probe: createQdrantAdmin(upstream), close: opened.close }
  })

/** The flags as `serve` finds them at its start, with the fault of a source that is away. @throws ConfigError as `serve` */
async function openFlagsOnce(config: Config): Promise<Flags> {
  let unleash: string | null = null
  const reporter = {
    flagsDecided() {},
    flagsChecked() {},
    flagsRefreshed: ({ error }: { error: string | null }) => {
      unleash = error
    },
  }
  const flags = await openFlags(config, { reporter, isRolledBack: () => false })
  const away = unleash === null ? [] : [`UNLEASH_URL=${redactUrls(config.settings.UNLEASH_URL ?? '')}: ${unleash}`]
  return { ...flags, faults: () => [...away, ...flags.faults()] }
}

/** For `stowage flags`: the same sources as `serve`, asked once. */
export const openFlagsCommand: FlagsCommandDependencies['open'] = async () => {
  const config = loadConfig()
  const tenants = (await readTenants(config))?.tenants ?? null
  const flags = await openFlagsOnce(config)
  const { STOWAGE_FLAGS_OFF: off = new Set() } = config.settings
  return {
    tenants: tenants?.map(({ name }) => name) ?? [null],
    list: name => {
      const plan = tenants?.find(tenant => tenant.name === name)?.plan ?? config.plan
      return listFlags(name, plan, { off, catalogue: flags.catalogue(), newSessionId: randomUUID })
    },
    faults: flags.faults(),
    close: () => flags.close(),
  }
}

/** For `stowage flags export`: what is wrong with the plan of a treatment. */
export async function faultsOfTreatment(plan: string): Promise<readonly string[]> {
  const config = loadConfig()
  const loaded = config.plan.rerank.method
  const { PLANS_FOLDER: folder } = config.settings
  const opened = folder === undefined ? null : await openPlanFolder(folder, loaded, () => {})
  if (opened !== null && 'faults' in opened) return opened.faults.map(fault => `PLANS_FOLDER=${folder}: ${fault}`)
  const plans = opened?.current ?? new Map()
  opened?.close()
  const type = plan.trimStart().startsWith('{') ? 'json' : 'string'
  return readPayload({ type, value: plan }, '--plan', { loaded, plans, newStepId: () => '' }).faults
}

/** Opens at the first call. */
function once<Value>(open: () => Value): () => Value {
  let opened: { value: Value } | null = null
  return () => {
    opened ??= { value: open() }
    return opened.value
  }
}

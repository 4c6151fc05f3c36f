import { createPassageReader } from '../../adapters/qdrant/passages.ts'
import type { Config } from '../../config.ts'
import { getOrInsert } from '../../core/collections.ts'
import { namedArm } from '../../evaluation/arms/named-arms.ts'
import { type UiRoutes, uiRoutes } from '../../http/ui/routes.ts'
import type { Rival } from '../../http/ui/schemas.ts'
import type { Reporter } from '../../observe/events.ts'
import { createPackContext, type PackContextDependencies } from '../../pipeline/pack-context.ts'
import { type DecidePlan, decideByConfiguration } from '../../pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../pipeline/plan/named-plans.ts'
import type { ListTraces, PackContext, TraceStore } from '../../pipeline/services.ts'
import type { QdrantHttp } from '../../qdrant/client.ts'
import { readUiPage } from '../../ui/read-page.ts'

interface UiParts {
  config: Config
  pipeline: PackContextDependencies
  packContext: PackContext
  listTraces: ListTraces
  http: QdrantHttp
  reporter: Reporter
  mappings: Parameters<typeof createPassageReader>[0]['mappings']
}

/** Runs of plain top-k are no requests of anybody: no list and no metric holds them. */
const NO_TRACES: TraceStore = { record() {}, find: () => null, list: () => [], close: async () => {} }

/** The page to look at, on the pipeline of the gateway. */
export function openUi({ config, pipeline, packContext, listTraces, http, reporter, mappings }: UiParts): UiRoutes {
  const { observeOutcome: _outcomes, offerShadow: _shadows, ...rest } = pipeline
  const packers = new Map<Rival, PackContext>()
  const packTopK = (rival: Rival) =>
    getOrInsert(packers, rival, () =>
      createPackContext({ ...rest, traces: NO_TRACES, decide: decideRival(rival, config) }),
    )
  const { REQUEST_DEADLINE_MS: deadlineMs } = config.settings
  const readPassages = createPassageReader({ http, mappings, deadlineMs })
  return uiRoutes({ packContext, packTopK, readPassages, reporter, listTraces, readPage: readUiPage })
}

/** Plain top-k on the plan of the tenant, else the configured one, without flags. */
function decideRival(rival: Rival, { plan }: Config): DecidePlan {
  const decide = decideByConfiguration(plan)
  return subject => {
    const decision = decide(subject)
    return { ...decision, plan: namedArm(rival, { ...NAMED_PLANS, measured: decision.plan }) }
  }
}

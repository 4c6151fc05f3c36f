import { randomUUID } from 'node:crypto'
import type { Config } from '../config.ts'
import type { PassageStore } from '../core/ports.ts'
import type { PackContextDependencies } from '../pipeline/pack-context.ts'
import type { TraceStore } from '../pipeline/services.ts'
import { createTokenizer } from '../text/tokens.ts'
import type { Models } from './models.ts'

/** What both doors' pipelines are built from. */
export function pipelineDependencies(
  config: Config,
  store: PassageStore,
  models: Models,
  traces: TraceStore,
): PackContextDependencies {
  return {
    ports: {
      store,
      tokenizer: createTokenizer,
      embedder: models.embedder,
      reranker: models.reranker,
      unavailable: models.unavailable,
    },
    plan: config.plan,
    traces,
    deadlineMs: config.settings.REQUEST_DEADLINE_MS,
    alwaysTrace: config.settings.RETRIEVAL_TRACE,
    newId: randomUUID,
    now: () => performance.now(),
    wallClock: () => new Date(),
  }
}

import type { PlanArm } from '../../../src/evaluation/arms/arm.ts'
import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import type { ReplayDependencies } from '../../../src/evaluation/replay/replay.ts'
import type { Plan } from '../../../src/pipeline/plan/plan.ts'
import { goldenQuery, goldSpan, replayRun } from './golden.ts'

const GOLD = 'the pump lifts nineteen spans'
const OTHER = 'the lamp burns all night long'
const TEXT = `${GOLD}. ${OTHER}.`

/** A set of `queries` with one gold passage each. */
export function inventedSet(queries: number, name = 'invented'): GoldenSet {
  return {
    name,
    documents: [{ docId: 'd', title: 'D', text: TEXT }],
    queries: Array.from({ length: queries }, (_, index) => goldenQuery(`q${index}`, [goldSpan(TEXT, 0, GOLD.length)])),
    corpusHash: `corpus-${name}-${queries}`,
    hash: `hash-${name}-${queries}`,
  }
}

/**
 * A world in which `finds` decides whether a query's gold passage is in the context; tokens are words. Each run can be changed.
 * @param finds gets the number of the query
 */
export function inventedWorld(
  finds: (query: number, plan: Plan, budget: number) => boolean,
  {
    reranker = 'fake-reranker',
    change = {},
  }: { reranker?: string | null; change?: Parameters<typeof replayRun>[1] } = {},
): ReplayDependencies<PlanArm> {
  return {
    embedder: 'fake-embedder',
    reranker,
    countTokens: text => text.split(/\s+/u).filter(Boolean).length,
    prepare: async () => ({
      chunks: 2,
      embedder: 'fake-embedder',
      run: async ({ id }, { plan }, budgets) =>
        budgets.map(budget => replayRun(finds(Number(id.slice(1)), plan, budget) ? GOLD : OTHER, change)),
      close: async () => {},
    }),
  }
}

/** What a replay of invented sets needs beside its arms. */
export const inventedJob = {
  chunkTokens: 200,
  cacheFolder: 'unused',
  limitQueries: null,
  parallel: 1,
  fresh: false,
  onProgress: () => {},
}

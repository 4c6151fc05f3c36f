import { reportArm } from '../../../src/evaluation/arms/arm.ts'
import type { QueryResult, ReplayReport } from '../../../src/evaluation/replay/results.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { runFigures } from './golden.ts'

/** One query: by arm, its answer recall at the budgets 500 and 1000, or other figures. */
export interface QueryFigures {
  intent?: string
  grade?: string
  arms: Record<string, readonly [Figures, Figures]>
}
type Figures = number | ReturnType<typeof runFigures>

/** A report of sets with these queries, which are called q0, q1 and so on. All queries have the arms of the first. */
export function replayReport(sets: Record<string, QueryFigures[]>): ReplayReport {
  const arms = Object.keys(Object.values(sets)[0]?.[0]?.arms ?? {})
  return {
    version: 2,
    budgets: [500, 1000],
    chunkTokens: 200,
    reranker: null,
    arms: arms.map(name => reportArm({ kind: 'plan', name, plan: NAMED_PLANS.measured })),
    sets: Object.entries(sets).map(([name, queries]) => ({
      name,
      hash: `hash-${name}`,
      documents: 1,
      chunks: 2,
      embedder: null,
      degraded: {},
      queries: queries.map(queryResult),
    })),
  }
}

function queryResult(
  { intent = null, grade = null, arms }: { intent?: string | null; grade?: string | null } & Pick<QueryFigures, 'arms'>,
  index: number,
): QueryResult {
  const figuresOf = (given: Figures) => (typeof given === 'number' ? runFigures(given) : given)
  const entries = Object.entries(arms).map(([arm, [first, second]]) => [
    arm,
    { 500: figuresOf(first), 1000: figuresOf(second) },
  ])
  return { id: `q${index}`, query: `question ${index}?`, intent, grade, golds: 1, arms: Object.fromEntries(entries) }
}

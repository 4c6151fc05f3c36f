import { StowageError } from '../../core/errors.ts'
import type { ReplayReport } from '../replay/results.ts'
import { type Baseline, baselineOf, type GateSetup, HOW_TO_UPDATE } from './baseline.ts'

/**
 * Refuses to compare figures of different setups: they would pass or fail for reasons that are not in the code.
 * @throws StowageError `bad_request` with every difference, and how to make a new baseline
 */
export function refuseOtherSetup(baseline: Baseline, report: ReplayReport, file: string): void {
  const now = baselineOf(
    report,
    baseline.sets.map(({ path }) => path),
  )
  const differences = (Object.keys(SETUP) as (keyof GateSetup)[]).flatMap(key => {
    const [before, after] = [baseline, now].map(one => JSON.stringify(one[key]))
    return before === after ? [] : [`${SETUP[key]}: ${before} in the baseline, ${after} now`]
  })
  if (differences.length > 0)
    throw new StowageError(
      'bad_request',
      `the baseline ${file} was made with another setup: ${differences.join('; ')}. ${HOW_TO_UPDATE(file)}`,
    )
}

const SETUP: Record<keyof GateSetup, string> = {
  sets: 'golden sets',
  arm: 'arm',
  budgets: 'budgets',
  chunkTokens: 'tokens of a chunk',
  embedder: 'embedder',
  reranker: 'reranker',
}

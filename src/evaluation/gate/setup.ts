import { badRequest } from '../../core/errors.ts'
import type { ReplayJob, ReplayModels } from '../replay/replay.ts'
import { type Baseline, type GateSetup, HOW_TO_UPDATE } from './baseline.ts'

/**
 * Refuses to compare figures of different setups: they would pass or fail for reasons that are not in the code. It needs no figures, so it
 * can be asked before the replay.
 * @throws StowageError `bad_request` with every difference, and how to make a new baseline
 */
export function refuseOtherSetup(
  baseline: Baseline,
  { sets, arms, budgets, chunkTokens }: Pick<ReplayJob, 'sets' | 'arms' | 'budgets' | 'chunkTokens'>,
  models: ReplayModels,
  file: string,
): void {
  const now: GateSetup = {
    // The path of a set says nothing of what it holds.
    sets: sets.map(({ name, hash }, at) => ({ name, path: baseline.sets[at]?.path ?? name, hash })),
    arm: arms[0]?.name ?? '',
    budgets: [...budgets],
    chunkTokens,
    embedder: models.embedder,
    reranker: models.reranker,
  }
  const differences = (Object.keys(SETUP) as (keyof GateSetup)[]).flatMap(key => {
    const [before, after] = [baseline, now].map(one => JSON.stringify(one[key]))
    return before === after ? [] : [`${SETUP[key]}: ${before} in the baseline, ${after} now`]
  })
  if (differences.length > 0)
    throw badRequest(
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

import type { ExaminedSet } from '../golden-set/golden-set.ts'
import { type Finding, finding, placedQueries } from './finding.ts'
import { checkGolds, type GoldLimits } from './golds.ts'
import { checkLeaks, halfInSet } from './leaks.ts'

/** What is wrong within one set, in the order of its files. Filters and tenants are checked by `checkReach`. */
export function checkGoldenSet(examined: ExaminedSet, limits: GoldLimits, trainShare?: number): Finding[] {
  const { set, faults } = examined
  const queries = placedQueries(examined)
  return [
    ...faults.map(({ code, place, text }) => finding({ set: set.name, place }, code, text)),
    ...checkGolds(examined, limits),
    ...checkLeaks(queries, halfInSet(trainShare)),
  ]
}

/** What a training set and a test set have in common. */
export function checkHalves(train: ExaminedSet, test: ExaminedSet): Finding[] {
  const [training, testing] = [placedQueries(train), placedQueries(test)]
  const trained = new Set(training)
  const isLeak = ({ code }: Finding) => code === 'leaked_question' || code === 'leaked_gold'
  return checkLeaks([...training, ...testing], placed => ({
    half: trained.has(placed) ? 'train' : 'test',
    chosen: true,
  })).filter(isLeak)
}

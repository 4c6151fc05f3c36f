import { macroMean, type QuerySets } from '../../statistics/macro-mean.ts'
import type { Candidate } from './candidates.ts'

/** A candidate with its differences to the start plan on the train half, turned so that more is better. */
export interface Measured {
  candidate: Candidate
  differences: QuerySets
}

/**
 * Chooses the plan of a search, against choosing by chance: a candidate must be better than the start plan by more than one standard error
 * of their paired difference. Of those that are within one standard error of the best of them, the one with the fewest changes wins (the
 * one-standard-error rule of Breiman et al. 1984), then the better one, then the earlier one.
 * @returns null when the start plan stays
 */
export function choose(measured: readonly Measured[]): Candidate | null {
  const better = measured.filter(({ differences }) => {
    const { value, error } = macroMean(differences)
    return value > 0 && value > error
  })
  const [best] = better.toSorted((one, other) => gainOf(other) - gainOf(one))
  if (best === undefined) return null
  const near = better.filter(one => {
    const { value, error } = macroMean(differenceBetween(best, one))
    return value <= error
  })
  const [chosen] = near.toSorted((one, other) => changesOf(one) - changesOf(other) || gainOf(other) - gainOf(one))
  return chosen?.candidate ?? null
}

const gainOf = ({ differences }: Measured): number => macroMean(differences).value
const changesOf = ({ candidate }: Measured): number => Object.keys(candidate.changes).length

function differenceBetween(one: Measured, other: Measured): QuerySets {
  return one.differences.map((set, at) => set.map((value, query) => value - (other.differences[at]?.[query] ?? 0)))
}

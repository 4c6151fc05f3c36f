import type { Candidate } from '../core/types.ts'

/**
 * Divides all values by the largest one, so that weights have the same effect after each fusion method. Lists without a positive
 * value do not change. No other code changes the scale of values.
 */
export function scaleToBest(candidates: readonly Candidate[]): Candidate[] {
  const top = Math.max(0, ...candidates.map(({ value }) => value))
  return top > 0 ? candidates.map(candidate => ({ ...candidate, value: candidate.value / top })) : [...candidates]
}

import type { Candidate } from '../core/types.ts'

/**
 * Divides all values by the largest one, so that the best candidate has 1 and weights mean the same after every fusion method.
 * Lists without a positive value come back as they are. The only place where the scale of values changes.
 */
export function scaleToBest(candidates: readonly Candidate[]): Candidate[] {
  const top = Math.max(0, ...candidates.map(({ value }) => value))
  return top > 0 ? candidates.map(candidate => ({ ...candidate, value: candidate.value / top })) : [...candidates]
}

import type { Candidate, FilterResult } from '../core/types.ts'
import type { DropReason } from '../core/vocabulary.ts'

/** Keeps the first `size` candidates and drops the rest. A `size` of null keeps all. */
export function cutTo(candidates: readonly Candidate[], size: number | null, reason: DropReason): FilterResult {
  if (size === null || candidates.length <= size) return { kept: [...candidates], dropped: [] }
  return {
    kept: candidates.slice(0, size),
    dropped: candidates.slice(size).map((candidate, index) => ({
      candidate,
      reason,
      evidence: { rank: size + index + 1, cap: size },
    })),
  }
}

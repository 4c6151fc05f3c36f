import type { TraceCandidate } from './schema.ts'

/**
 * The figures behind a drop reason, in words: `similarity 0.93`, `short by 120 tokens`.
 * @param nameOf names the candidate that the evidence refers to
 */
export function evidenceWords(
  evidence: TraceCandidate['evidence'],
  nameOf: (candidate: string) => string = candidate => candidate,
): string[] {
  const { of, similarity, short_by_tokens, cap, rank, detail } = evidence ?? {}
  return [
    of !== undefined && `because of ${nameOf(of)}`,
    similarity !== undefined && `similarity ${Math.round(similarity * 1_000) / 1_000}`,
    short_by_tokens !== undefined && `short by ${short_by_tokens} tokens`,
    cap !== undefined && `the cap is ${cap}`,
    rank !== undefined && `rank ${rank}`,
    detail,
  ].filter(figure => typeof figure === 'string')
}

import { percentile } from '../../statistics/sample.ts'
import type { PassageEvidence } from './evidence.ts'
import { logit } from './relevance.ts'

/** The score that this share of the other passages do not exceed is what passages have that share words with the question and do not answer. Up to three quarters of them may answer, too. */
const BACKGROUND = 0.25
/** Logits of three more passages, so that a few passages do not make a background of their own: what one of another subject usually has. */
const USUAL = [-6.5, -6.5, -6.5]

/**
 * How far the best passage stands out: its logit of the reranker above that of the background of the same question. Whatever the collection is about raises both, so this
 * means the same in different collections. Weighted information gain (Zhou and Croft 2007) compares the best passages with the collection in this way.
 * @returns 0 or more; null when no passage has a score of the reranker
 */
export function prominenceOf(passages: readonly Pick<PassageEvidence, 'rerank'>[]): number | null {
  const [best, ...others] = passages
    .flatMap(({ rerank }) => (rerank === null ? [] : [logit(rerank)]))
    .sort((a, b) => b - a)
  if (best === undefined) return null
  return Math.max(0, best - (percentile([...others, ...USUAL], BACKGROUND) ?? 0))
}

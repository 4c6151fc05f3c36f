import { raiseTo } from '../../core/collections.ts'
import { parentKey, placeKey, pointKey } from '../../core/keys.ts'
import type { Candidate } from '../../core/types.ts'
import { neighboursOf } from '../../rank/reunify.ts'
import { sigmoid } from '../../statistics/sigmoid.ts'
import type { Evidence, PassageEvidence } from './evidence.ts'

export const RELEVANCE_KINDS = ['reranker', 'words', 'mention', 'neighbour'] as const

/** How likely a passage answers the question, and what the estimate rests on. */
export interface Relevance {
  /** Estimated probability, in [0,1]. */
  relevance: number
  kind: (typeof RELEVANCE_KINDS)[number]
}

/**
 * Logistic models of "the passage holds a gold passage, or stands in one", fitted by `npm run bench:confidence -- SETS --fit`.
 * `rerank` weighs the logit of the reranker's score, `coverage` the share of the question's terms. No weight is negative, so more
 * evidence never lowers an estimate.
 */
const WITH_RERANKER = { bias: -2.48, rerank: 0.68, coverage: 2.68 }
const WORDS_ALONE = { bias: -6.6, coverage: 6.8 }

/** The logit of the relevance of a passage that was ranked. */
export function relevanceLogit({ rerank, coverage }: PassageEvidence): number {
  if (rerank === null) return WORDS_ALONE.bias + WORDS_ALONE.coverage * coverage
  return WITH_RERANKER.bias + WITH_RERANKER.rerank * logit(rerank) + WITH_RERANKER.coverage * coverage
}

/**
 * Returns the relevance of a candidate by what it rests on:
 *
 * - `reranker`: the score of the reranker and the terms of the question in the passage;
 * - `words`: the terms alone, because the passage was not reranked;
 * - `mention`: another passage names its document, and is more relevant. It has the relevance of that one. Measured by the same script: such passages hold a gold
 *   passage more often than this says;
 * - `neighbour`: the passage was not ranked. It has the relevance of the best ranked passage beside it, and a parent that of its best
 *   ranked chunk. Measured by the same script: neighbours hold a gold passage about half as often as this says.
 */
export function relevancesBy({ passages }: Evidence): (candidate: Candidate) => Relevance {
  const ranked = new Map<string, Relevance>()
  const ofPlaces = new Map<string, number>()
  const ofParents = new Map<string, number>()
  for (const passage of passages) {
    const { key, chunk } = passage.candidate
    const relevance = rounded(sigmoid(relevanceLogit(passage)))
    ranked.set(key, { relevance, kind: passage.rerank === null ? 'words' : 'reranker' })
    if (chunk.orderIndex !== null) raiseTo(ofPlaces, placeKey(chunk), relevance)
    const parent = parentKey(chunk)
    if (parent !== null) raiseTo(ofParents, parent, relevance)
  }
  return ({ key, chunk, mention }) => {
    const known = ranked.get(key)
    const naming = mention && ranked.get(pointKey(mention.by))
    if (known && naming && naming.relevance > known.relevance) return { relevance: naming.relevance, kind: 'mention' }
    if (known !== undefined) return known
    const beside = neighboursOf(chunk).map(place => ofPlaces.get(placeKey(place)) ?? 0)
    return { relevance: Math.max(ofParents.get(key) ?? 0, ...beside), kind: 'neighbour' }
  }
}

/** A number of an answer with six decimals, so that answers do not show the noise of sums. */
export const rounded = (share: number): number => Math.round(share * 1e6) / 1e6

/** Keeps the logit of 0 and 1 finite. */
const EDGE = 1e-4
export function logit(share: number): number {
  const inside = Math.min(1 - EDGE, Math.max(EDGE, share))
  return Math.log(inside / (1 - inside))
}

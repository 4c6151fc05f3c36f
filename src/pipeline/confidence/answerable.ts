import type { Degradation } from '../../core/types.ts'
import type { AnswerableReason, DegradationCode } from '../../core/vocabulary.ts'
import { sigmoid } from '../../statistics/sigmoid.ts'
import type { ContextResponse } from '../context-request.ts'
import type { PassageEvidence } from './evidence.ts'
import { relevanceLogit } from './relevance.ts'

/**
 * Logistic models of "the documents answer the question", fitted by `npm run bench:confidence -- SETS --fit`. `best` weighs the largest
 * logit of the passages' relevance.
 */
const WITH_RERANKER = { bias: 2.37, best: 1.09 }
const WORDS_ALONE = { bias: 2.8, best: 1.05 }

/** Least probability of a verdict. Measured: docs/results.md. */
const IN_DOCUMENTS = 0.7
const UNCERTAIN = 0.2

/** Below this score of the reranker, no passage is likely to answer. Measured: all of 180 questions to documents about something else stay below it, and 3 % of those that the documents answer. */
const LOW_RERANK = 0.05
const LOW_COVERAGE = 0.5

/** Degradations after which a part of the documents was not looked at, or not closely: such a run cannot say that there is no answer. */
const LOOKED_AT_PART: ReadonlySet<DegradationCode> = new Set([
  'embedder_failed',
  'no_search_terms',
  'collection_unsearched',
  'no_passage_text',
  'reranker_failed',
  'rerank_language_unread',
  'rerank_skipped',
  'rerank_shallow',
  'rerank_partial',
  'ranking_partial',
])

/**
 * Estimates whether the documents answer the question, from the best of the ranked passages.
 * @param hasTerms whether the question has terms. Without terms and without a reranker, nothing tells a passage that answers from another one.
 */
export function answerableBy(
  passages: readonly PassageEvidence[],
  degraded: readonly Pick<Degradation, 'code'>[],
  hasTerms = true,
): ContextResponse['answerable'] {
  const looksAtPart = degraded.some(({ code }) => LOOKED_AT_PART.has(code))
  const probability = Math.round(probabilityOf(passages) * 1e4) / 1e4
  const rerank = Math.max(...passages.map(one => one.rerank ?? Number.NEGATIVE_INFINITY))
  const coverage = Math.max(0, ...passages.map(one => one.coverage))
  const isFound = passages.length > 0
  const isReranked = rerank !== Number.NEGATIVE_INFINITY
  const isUnread = isFound && !isReranked && !hasTerms
  const least = looksAtPart || isUnread ? 'uncertain' : 'not_in_documents'
  const verdict = probability >= IN_DOCUMENTS ? 'in_documents' : probability >= UNCERTAIN ? 'uncertain' : least
  const reasons: [AnswerableReason, boolean][] = [
    ['nothing_found', !isFound],
    ['reranker_missing', isFound && !isReranked],
    ['top_score_low', Number.isFinite(rerank) && rerank < LOW_RERANK],
    ['no_keyword_match', isFound && coverage === 0],
    ['few_keyword_matches', coverage > 0 && coverage < LOW_COVERAGE],
    ['degraded', looksAtPart],
  ]
  return { probability, verdict, reasons: reasons.filter(([, holds]) => holds).map(([reason]) => reason) }
}

/** The probability that the documents answer, in [0,1]. */
function probabilityOf(passages: readonly PassageEvidence[]): number {
  if (passages.length === 0) return 0
  const reranked = passages.filter(({ rerank }) => rerank !== null)
  const isReranked = reranked.length > 0
  const { bias, best } = isReranked ? WITH_RERANKER : WORDS_ALONE
  return sigmoid(bias + best * Math.max(...(isReranked ? reranked : passages).map(relevanceLogit)))
}

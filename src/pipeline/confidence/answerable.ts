import type { Degradation } from '../../core/types.ts'
import type { AnswerableReason, DegradationCode, Verdict } from '../../core/vocabulary.ts'
import { sigmoid } from '../../statistics/sigmoid.ts'
import type { Plan } from '../plan/plan.ts'
import type { Answerable } from '../trace/schema.ts'
import type { PassageEvidence } from './evidence.ts'
import { prominenceOf } from './prominence.ts'
import { relevanceLogit } from './relevance.ts'

/**
 * Logistic models of "the documents answer the question", fitted by `npm run bench:confidence -- SETS --fit`. `best` weighs the largest
 * logit of the passages' relevance, `prominence` how far the best one stands out.
 */
const WITH_RERANKER = { bias: -0.87, best: 0.55, prominence: 0.85 }
const WORDS_ALONE = { bias: 2.53, best: 0.8 }

/** Below these, no passage is likely to answer. Measured: docs/decisions/0111. */
const LOW_RERANK = 0.05
const LOW_PROMINENCE = 2
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
 * Estimates whether the documents answer the question, from the best of the ranked passages and how far it stands out.
 * @param least the least probabilities of the verdicts `in_documents` and `uncertain`. Where the second is larger, `in_documents` goes first.
 * @param hasTerms whether the question has terms. Without terms and without a reranker, nothing tells a passage that answers from another one.
 */
export function answerableBy(
  passages: readonly PassageEvidence[],
  degraded: readonly Pick<Degradation, 'code'>[],
  least: Plan['verdict'],
  hasTerms = true,
): Answerable {
  const looksAtPart = degraded.some(({ code }) => LOOKED_AT_PART.has(code))
  const prominence = prominenceOf(passages)
  const probability = Math.round(probabilityOf(passages, prominence) * 1e4) / 1e4
  const rerank = Math.max(...passages.map(one => one.rerank ?? Number.NEGATIVE_INFINITY))
  const coverage = Math.max(0, ...passages.map(one => one.coverage))
  const isFound = passages.length > 0
  const isReranked = prominence !== null
  const isUnread = isFound && !isReranked && !hasTerms
  const verdict = verdictOf(probability, least, looksAtPart || isUnread)
  const reasons: [AnswerableReason, boolean][] = [
    ['nothing_found', !isFound],
    ['reranker_missing', isFound && !isReranked],
    ['top_score_low', isReranked && rerank < LOW_RERANK],
    ['no_passage_stands_out', isReranked && prominence < LOW_PROMINENCE],
    ['no_keyword_match', isFound && coverage === 0],
    ['few_keyword_matches', coverage > 0 && coverage < LOW_COVERAGE],
    ['degraded', looksAtPart],
  ]
  return { probability, verdict, reasons: reasons.filter(([, holds]) => holds).map(([reason]) => reason) }
}

/** @param cannotDeny whether too little was looked at to say that there is no answer */
export function verdictOf(probability: number, least: Plan['verdict'], cannotDeny: boolean): Verdict {
  if (probability >= least.inDocuments) return 'in_documents'
  return probability >= least.uncertain || cannotDeny ? 'uncertain' : 'not_in_documents'
}

/** The probability that the documents answer, in [0,1]. */
function probabilityOf(passages: readonly PassageEvidence[], prominence: number | null): number {
  if (passages.length === 0) return 0
  if (prominence === null) return sigmoid(WORDS_ALONE.bias + WORDS_ALONE.best * bestOf(passages))
  const best = bestOf(passages.filter(({ rerank }) => rerank !== null))
  return sigmoid(WITH_RERANKER.bias + WITH_RERANKER.best * best + WITH_RERANKER.prominence * prominence)
}

const bestOf = (passages: readonly PassageEvidence[]): number => Math.max(...passages.map(relevanceLogit))

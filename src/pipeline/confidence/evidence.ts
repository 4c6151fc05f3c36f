import { type Steps, TimeUp } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { searchedText } from '../../rank/searched-text.ts'
import { questionTerms, termCounts } from '../../text/candidate-bm25.ts'
import { analysisOfMost } from '../../text/terms/word-terms.ts'

/** What is known of one passage. None of it depends on the other passages, so it means the same for every question. */
export interface PassageEvidence {
  /** The calibrated score of the reranker, in [0,1]; null when it was not scored. */
  rerank: number | null
  /** Share of the question's distinct terms in title, section path, context and text, in [0,1]; 0 for a question without terms. */
  coverage: number
}

interface RankedPassage extends PassageEvidence {
  candidate: Candidate
}

/** What is known of the ranked passages of one question. */
export interface Evidence {
  passages: readonly RankedPassage[]
  /** Whether the question has a term that passages can share. One of stop words or signs alone has none. */
  hasTerms: boolean
  /** Whether the time was up before all passages were read. Then their relevance says too little. */
  isPartial: boolean
}

/**
 * Collects the evidence of the ranked candidates, in their order. The terms of a passage are cached, and ranking has read most of them.
 * When the time is up, the passages that are left have a coverage of 0.
 */
export function* evidenceOf(query: string, candidates: readonly Candidate[]): Steps<Evidence> {
  const passages: RankedPassage[] = []
  let hasTerms = true
  try {
    const texts = candidates.map(({ chunk }) => searchedText(chunk))
    const analysis = yield* analysisOfMost(texts)
    const wanted = yield* questionTerms(query, analysis)
    hasTerms = wanted.length > 0
    for (const [at, candidate] of candidates.entries()) {
      const { counts } = yield* termCounts(texts[at] ?? '', analysis)
      const found = wanted.filter(term => counts.has(term)).length
      passages.push(passageEvidence(candidate, found / Math.max(1, wanted.length)))
      yield
    }
    return { passages, hasTerms, isPartial: false }
  } catch (error) {
    if (!(error instanceof TimeUp)) throw error
    const unread = candidates.slice(passages.length).map(candidate => passageEvidence(candidate, 0))
    return { passages: [...passages, ...unread], hasTerms, isPartial: true }
  }
}

/** A reranker of the user may answer anything; what is no number counts as not scored. */
function passageEvidence(candidate: Candidate, coverage: number): RankedPassage {
  const { rerank } = candidate
  const isScore = rerank !== null && !Number.isNaN(rerank)
  return { candidate, rerank: isScore ? Math.min(1, Math.max(0, rerank)) : null, coverage }
}

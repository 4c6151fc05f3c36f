import type { Candidate } from '../core/types.ts'
import { candidateBm25 } from '../text/candidate-bm25.ts'
import { splitSentences } from '../text/sentences.ts'
import type { Unit } from './unit.ts'

/** Largest share that the match of a sentence adds to the value of its chunk (packing experiment). */
const SENTENCE_SHARE = 0.1

/**
 * Splits candidates into sentences, best first; equal values stay in reading order. The value is that of the chunk plus .1 times
 * the BM25 of the sentence for the query, scaled to [0,1] over these sentences.
 */
export function sentenceUnits(candidates: readonly Candidate[], query: string | null): Unit[] {
  const sentences = candidates.flatMap(candidate =>
    splitSentences(candidate.chunk.text)
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, start, end }) => ({ candidate, text, start, end })),
  )
  const texts = sentences.map(({ text }) => text)
  const scores = query === null ? [] : candidateBm25(query, texts)
  const top = scores.reduce((best, score) => Math.max(best, score), Number.MIN_VALUE)
  return sentences
    .map(({ candidate, start, end }, index) => ({
      candidate,
      start,
      end,
      value: candidate.value + (SENTENCE_SHARE * (scores[index] ?? 0)) / top,
    }))
    .sort((a, b) => b.value - a.value)
}

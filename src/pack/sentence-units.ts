import type { Candidate } from '../core/types.ts'
import { candidateBm25 } from '../text/candidate-bm25.ts'
import { splitSentences } from '../text/sentences.ts'
import type { Unit } from './unit.ts'

/** How much a sentence's own match adds to its chunk's value (packing experiment: .1). */
const SENTENCE_SHARE = 0.1

/**
 * Cuts candidates into sentences, each worth its chunk's value plus .1 times how well it matches the query itself
 * (BM25 among these sentences, scaled to [0,1]). Best first; sentences of equal worth stay in reading order.
 */
export function sentenceUnits(candidates: readonly Candidate[], query: string | null): Unit[] {
  const sentences = candidates.flatMap(candidate =>
    splitSentences(candidate.chunk.text)
      .filter(({ text }) => text.trim() !== '')
      .map(({ text, start, end }) => ({ candidate, text, start, end })),
  )
  const scores =
    query === null
      ? sentences.map(() => 0)
      : candidateBm25(
          query,
          sentences.map(({ text }) => text),
        )
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

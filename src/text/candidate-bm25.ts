import { countOf } from '../core/collections.ts'
import { remembered } from './bounded-cache.ts'
import { terms } from './terms.ts'

const K1 = 1.2
const B = 0.75

/** Cached for at most 4,000 texts and a million distinct terms (about 100 MB). */
const termCounts = remembered(
  text => {
    const all = terms(text)
    return { counts: countOf(all), length: all.length }
  },
  { entries: 4_000, weight: 1_000_000, weigh: ({ counts }) => counts.size },
)

/**
 * BM25 of each document for the query, 0 or above. Document frequency and average length are those of `documents`.
 * Robertson and Zaragoza (2009), with Lucene's idf `ln(1 + (n - df + .5) / (df + .5))`, which is never negative.
 */
export function candidateBm25(query: string, documents: readonly string[]): number[] {
  const wanted = new Set(terms(query))
  if (wanted.size === 0) return documents.map(() => 0)

  const pool = documents.map(termCounts)
  const averageLength = pool.reduce((sum, document) => sum + document.length, 0) / pool.length || 1

  const idf = new Map<string, number>()
  for (const term of wanted) {
    const documentFrequency = pool.filter(({ counts }) => counts.has(term)).length
    idf.set(term, Math.log(1 + (pool.length - documentFrequency + 0.5) / (documentFrequency + 0.5)))
  }
  return pool.map(({ length, counts }) => {
    const saturation = K1 * (1 - B + (B * length) / averageLength)
    let score = 0
    for (const term of wanted) {
      const count = counts.get(term) ?? 0
      score += ((idf.get(term) ?? 0) * count * (K1 + 1)) / (count + saturation)
    }
    return score
  })
}

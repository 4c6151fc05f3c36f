import type { Steps } from '../core/steps.ts'
import { rememberedSteps } from './bounded-cache.ts'
import { distinctIn, slicesOf } from './slices.ts'
import { identifiers, joinedWords } from './terms/identifiers.ts'
import { rawWords, terms, termsWithNames } from './terms/terms.ts'
import { joinedNeighbours } from './terms/word-pairs.ts'
import { type Analysis, analysisOfMost, termsOfWord } from './terms/word-terms.ts'

/** Saturation of term counts. */
export const K1 = 1.2
const B = 0.75

/** The terms of a text, see `termsWithNames`, and its joined words. */
interface TermCounts {
  counts: ReadonlyMap<string, number>
  /** Number of terms. Joined words do not count: their parts are terms. */
  length: number
}

const LIMITS = { entries: 4_000, weight: 1_000_000, weigh: ({ counts }: TermCounts) => counts.size }
const COUNTERS: Readonly<Record<Analysis, (text: string) => Steps<TermCounts>>> = {
  english: rememberedSteps(text => countTerms(text, 'english'), LIMITS),
  prefix: rememberedSteps(text => countTerms(text, 'prefix'), LIMITS),
}

/** The terms of a passage. Cached for at most 4,000 texts and a million distinct terms (about 100 MB) of each analysis. */
export function termCounts(text: string, analysis: Analysis): Steps<TermCounts> {
  return COUNTERS[analysis](text)
}

function* countTerms(text: string, analysis: Analysis): Steps<TermCounts> {
  const counts = new Map<string, number>()
  let length = 0
  for (const slice of slicesOf(text)) {
    const found = termsWithNames(slice, analysis)
    for (const term of [...found, ...joinedWords(slice)]) counts.set(term, (counts.get(term) ?? 0) + 1)
    length += found.length
    yield
  }
  return { counts, length }
}

/** The distinct terms of a question, in their order. @param analysis that of the passages which they are looked for in */
export function* questionTerms(query: string, analysis: Analysis): Steps<string[]> {
  return [...(yield* distinctIn(query, slice => terms(slice, analysis)))]
}

/**
 * BM25 of each document for the query, 0 or above. All texts have the analysis of most documents, so that a word is the same term in all. Identifiers of the query are terms, beside their parts, and so are its neighbours as one word. Document frequency and average length are those of `documents`.
 * Robertson and Zaragoza (2009), with `inverseDocumentFrequency`.
 */
export function* candidateBm25(query: string, documents: readonly string[]): Steps<number[]> {
  const analysis = yield* analysisOfMost(documents)
  const wanted = [...(yield* distinctIn(query, slice => wantedIn(slice, analysis)))]
  if (wanted.length === 0) return documents.map(() => 0)

  const places = new Map(wanted.map((term, place) => [term, place]))
  const frequencies = new Uint32Array(wanted.length)
  const pool: Matched[] = []
  for (const document of documents) {
    const matched = matchTerms(yield* termCounts(document, analysis), wanted, places)
    for (const [place] of matched.counts) frequencies[place] = (frequencies[place] ?? 0) + 1
    pool.push(matched)
    yield
  }
  const averageLength = pool.reduce((sum, document) => sum + document.length, 0) / pool.length || 1
  const idf = Array.from(frequencies, count => inverseDocumentFrequency(count, pool.length))
  return pool.map(({ length, counts }) => {
    const saturation = K1 * (1 - B + (B * length) / averageLength)
    return counts.reduce(
      (sum, [place, count]) => sum + ((idf[place] ?? 0) * count * (K1 + 1)) / (count + saturation),
      0,
    )
  })
}

/** In another language than English, terms are prefixes, and those of words that do not exist would match others. */
function wantedIn(query: string, analysis: Analysis): string[] {
  const pairs = analysis === 'english' ? joinedNeighbours(rawWords(query)) : []
  return [...terms(query, analysis), ...identifiers(query), ...pairs.flatMap(word => termsOfWord(word, analysis))]
}

/** Lucene's inverse document frequency `ln(1 + (n - df + .5) / (df + .5))` of a term, which is never negative. */
export function inverseDocumentFrequency(documentsWithTerm: number, documents: number): number {
  return Math.log(1 + (documents - documentsWithTerm + 0.5) / (documentsWithTerm + 0.5))
}

/** The terms that a document has in common with the query. */
interface Matched {
  /** Place of the term in the query, and its count in the document, in the order of the query. */
  counts: [place: number, count: number][]
  length: number
}

/** Looks up the terms of the shorter of the two, so that neither a long query nor a long document makes it slow. */
function matchTerms(
  { counts, length }: TermCounts,
  wanted: readonly string[],
  places: ReadonlyMap<string, number>,
): Matched {
  const shared = wanted.length <= counts.size ? wanted : [...counts.keys()]
  const matched: Matched['counts'] = []
  for (const term of shared) {
    const place = places.get(term)
    const count = counts.get(term)
    if (place !== undefined && count !== undefined) matched.push([place, count])
  }
  return { counts: matched.sort(([left], [right]) => left - right), length }
}

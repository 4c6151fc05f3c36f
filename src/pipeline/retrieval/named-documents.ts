import { countOf } from '../../core/collections.ts'
import { pointKey } from '../../core/keys.ts'
import { prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Chunk } from '../../core/types.ts'
import { documentName, searchedText } from '../../rank/searched-text.ts'
import { inverseDocumentFrequency, termCounts } from '../../text/candidate-bm25.ts'
import { termsWithNames } from '../../text/terms/terms.ts'
import { type Analysis, analysisOfMost } from '../../text/terms/word-terms.ts'

/** In UTF-16 code units. A title beyond it is no name that a question could have. */
const LONGEST_NAME = 500
/** In UTF-16 code units. Longer ids are no paths or addresses, and would stand in a filter. */
const LONGEST_ID = 2_000
/** A word that the names of more documents hold says what kind of document is meant, and not which one. */
const MOST_OF_A_NAME = 4
/** Share of the passages of other documents. A word that more of them hold is one of the subject, and the lists know it. */
const MOST_OF_TEXTS = 0.05
/** Of the score of the document that is named best. */
const LEAST_SHARE = 0.5

/**
 * The documents that a question names, of those that were found. They have a word of the question in their title or in the words of their path that few
 * other documents have there, and few passages of other documents anywhere. The score of a document is the sum of the inverse document frequencies of all words
 * that it shares with the question, with the names that were found as the documents.
 *
 * @param found chunks of which some may be the same
 * @param most how many documents at most
 * @returns document ids, the document that is named best first
 */
export function* namedDocuments(query: string, found: Iterable<Chunk>, most: number): Steps<string[]> {
  const chunks = [...new Map(Array.from(found, chunk => [pointKey(chunk), chunk])).values()]
  if (chunks.every(chunk => documentName(chunk) === '')) return []
  const texts = chunks.map(searchedText)
  const analysis = yield* analysisOfMost(texts)
  const asked = new Set(termsWithNames(query, analysis))
  const matched = matchNames(chunks, asked, analysis)
  const holders = countOf([...matched.values()].flat())
  if (![...holders.values()].some(count => count <= MOST_OF_A_NAME)) return []
  const passages: { docId: string; counts: ReadonlyMap<string, number> }[] = []
  for (const [at, { docId }] of chunks.entries()) {
    passages.push({ docId, counts: (yield* termCounts(texts[at] ?? '', analysis)).counts })
    yield
  }

  const isRareBeside = (word: string, docId: string) => {
    const others = passages.filter(passage => passage.docId !== docId)
    return others.filter(({ counts }) => counts.has(word)).length <= MOST_OF_TEXTS * others.length
  }
  const names = (word: string, docId: string) => (holders.get(word) ?? 0) <= MOST_OF_A_NAME && isRareBeside(word, docId)
  const scoreOf = (words: readonly string[]) =>
    words.reduce((sum, word) => sum + inverseDocumentFrequency(holders.get(word) ?? 0, matched.size), 0)
  const scored = [...matched]
    .filter(([docId, words]) => words.some(word => names(word, docId)))
    .map(([docId, words]) => ({ docId, score: scoreOf(words) }))
    .sort((a, b) => b.score - a.score)
  const least = LEAST_SHARE * (scored[0]?.score ?? 0)
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, most)
    .map(({ docId }) => docId)
}

/** The words that the name of each document has in common with the question, by document id. */
function matchNames(
  chunks: readonly Chunk[],
  asked: ReadonlySet<string>,
  analysis: Analysis,
): ReadonlyMap<string, string[]> {
  const matched = new Map<string, string[]>()
  for (const chunk of chunks) {
    const name = prefixOf(documentName(chunk), LONGEST_NAME)
    if (name === '' || chunk.docId.length > LONGEST_ID || matched.has(chunk.docId)) continue
    matched.set(
      chunk.docId,
      [...new Set(termsWithNames(name, analysis))].filter(term => asked.has(term)),
    )
  }
  return matched
}

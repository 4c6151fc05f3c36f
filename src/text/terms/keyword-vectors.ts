import type { SparseVector } from '../../core/types.ts'
import { ALL_FUNCTION_WORDS, isRatherEnglish } from '../language/function-words.ts'
import { OTHER_LETTER } from '../language/language-of.ts'
import { documentVector, englishWords, queryVector, wordsAsQdrant } from '../qdrant-bm25.ts'
import { joinedNeighbours } from './word-pairs.ts'
import { analysisOf, termsOfWord } from './word-terms.ts'

/**
 * The keyword vector of a document, as stowage writes it: BM25 weights of its terms (`termsOfWord`). For English it is the vector of
 * Qdrant's `qdrant/bm25`, so that clients which ask for that find the document, too.
 */
export function encodeKeywords(text: string): SparseVector {
  const analysis = analysisOf(text)
  return documentVector(wordsOf(text).flatMap(word => termsOfWord(word, analysis)))
}

/**
 * The keyword vector of a question: its terms in both analyses, because a short question does not say its language, and its words as `qdrant/bm25` has them, which
 * clients and earlier versions of stowage write in any language, and its neighbours as one word. The function words of a question that is not English are left out: they
 * would be rare, and count most, where only a few texts are taken for English.
 */
export function encodeKeywordQuery(query: string): SparseVector {
  const words = wordsOf(query)
  const contentWords = isRatherEnglish(words) ? words : words.filter(word => !ALL_FUNCTION_WORDS.has(word))
  return queryVector([
    ...englishWords(contentWords),
    ...[...contentWords, ...joinedNeighbours(words)].flatMap(word => termsOfWord(word, 'english')),
    ...words.flatMap(word => termsOfWord(word, 'prefix')),
  ])
}

/** Whether the keywords of a text are those of `qdrant/bm25`: English, or of no language that can be told, in Latin letters alone. */
export function hasEnglishKeywords(text: string): boolean {
  return analysisOf(text) === 'english' && !OTHER_LETTER.test(text)
}

const wordsOf = (text: string) => wordsAsQdrant(text.normalize('NFC'))

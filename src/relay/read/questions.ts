import type { EmbeddingRequest } from './shapes.ts'
import { decodeTokens } from './token-text.ts'

/** Most inputs of a request that asks questions. A request with more brings documents in. */
export const MOST_QUESTIONS = 16
/** Most UTF-16 units of a question, as in `POST /v1/context`. Longer inputs are documents. */
const LONGEST_QUESTION = 8_192
/** A token has at least one byte. */
const MOST_TOKENS = 4 * LONGEST_QUESTION

/** Texts that some models want before a query and before a passage. They are no part of the question. Source: docs/encoders.md. */
const QUERY_PREFIXES = ['query: ', 'search_query: ', 'Represent this sentence for searching relevant passages: ']
const PASSAGE_PREFIXES = ['passage: ', 'search_document: ']

/** The question of each input; null for an input that is none. Empty when the request brings documents in. */
export function questionsOf({ model, inputs }: EmbeddingRequest, prefixes: readonly string[] = []): (string | null)[] {
  if (inputs.length > MOST_QUESTIONS) return []
  return inputs.map(input => {
    const text = typeof input === 'string' ? input : input.length > MOST_TOKENS ? null : decodeTokens(model, input)
    return text === null ? null : questionOf(text, prefixes)
  })
}

function questionOf(text: string, prefixes: readonly string[]): string | null {
  if (text.length > LONGEST_QUESTION || PASSAGE_PREFIXES.some(prefix => text.startsWith(prefix))) return null
  const prefix = [...prefixes, ...QUERY_PREFIXES].find(known => text.startsWith(known)) ?? ''
  const question = text.slice(prefix.length).trim()
  return question === '' ? null : question
}

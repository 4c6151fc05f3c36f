import { refuseFields, unsupported } from '../errors.ts'
import { isRecord } from '../wire/shape.ts'

/** How the text of an indexed field is split into tokens. */
export interface TextIndex {
  tokenize(text: string): string[]
  phrases: boolean
}

/** Reads the schema of a payload index; undefined for other types than text. @throws EngineError 501 on unsupported options */
export function readTextIndex(schema: unknown): TextIndex | undefined {
  if (schema === 'text') return textIndex({})
  return isRecord(schema) && schema.type === 'text' ? textIndex(schema) : undefined
}

function textIndex(options: { [key: string]: unknown }): TextIndex {
  refuseFields(options, ['stemmer', 'stopwords', 'ascii_folding'], 'text index option')
  const tokenizer = options.tokenizer ?? 'word'
  if (tokenizer !== 'word' && tokenizer !== 'whitespace') throw unsupported(`tokenizer \`${String(tokenizer)}\``)
  const minimum = typeof options.min_token_len === 'number' ? options.min_token_len : 0
  const maximum = typeof options.max_token_len === 'number' ? options.max_token_len : Number.POSITIVE_INFINITY
  const separator = tokenizer === 'whitespace' ? /\s+/u : /[^\p{Alphabetic}\p{N}]+/u
  return {
    phrases: options.phrase_matching === true,
    tokenize: text =>
      (options.lowercase === false ? text : text.toLowerCase()).split(separator).filter(token => {
        const length = [...token].length
        return length > 0 && length >= minimum && length <= maximum
      }),
  }
}

export const TEXT_MATCHES = ['text', 'text_any', 'phrase'] as const
export type TextMatch = (typeof TEXT_MATCHES)[number]

/** Compares tokens when the field has a text index. Otherwise looks for substrings, case-sensitive. */
export function compileTextMatch(kind: TextMatch, query: string, index?: TextIndex): (value: string) => boolean {
  if (index === undefined) return compileSubstring(kind, query)
  const wanted = index.tokenize(query)
  if (wanted.length === 0) return () => false
  if (kind === 'phrase') {
    if (!index.phrases) return () => false
    return value => holdsPhrase(index.tokenize(value), wanted)
  }
  return value => {
    const tokens = new Set(index.tokenize(value))
    return kind === 'text' ? wanted.every(token => tokens.has(token)) : wanted.some(token => tokens.has(token))
  }
}

function compileSubstring(kind: TextMatch, query: string): (value: string) => boolean {
  if (kind !== 'text_any') return value => value.includes(query)
  const words = query.split(/\s+/u).filter(word => word !== '')
  return value => words.some(word => value.includes(word))
}

function holdsPhrase(tokens: string[], phrase: string[]): boolean {
  return tokens.some((_, start) => phrase.every((token, offset) => tokens[start + offset] === token))
}

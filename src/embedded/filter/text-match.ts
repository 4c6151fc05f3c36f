import { refuseFields, unsupported } from '../errors.ts'
import { isRecord } from '../wire/shape.ts'
import { PatternSet } from './pattern-set.ts'

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
  const tokenize = (text: string) =>
    (options.lowercase === false ? text : text.toLowerCase()).split(separator).filter(token => {
      const length = [...token].length
      return length > 0 && length >= minimum && length <= maximum
    })
  return { phrases: options.phrase_matching === true, tokenize: rememberLast(tokenize) }
}

/** Many conditions of one filter ask for the tokens of the same text in turn. */
function rememberLast(tokenize: (text: string) => string[]): (text: string) => string[] {
  let last = { text: '', tokens: [] as string[] }
  return text => {
    if (text !== last.text) last = { text, tokens: tokenize(text) }
    return last.tokens
  }
}

export const TEXT_MATCHES = ['text', 'text_any', 'phrase'] as const
type TextMatch = (typeof TEXT_MATCHES)[number]

/** Compares tokens when the field has a text index. Otherwise looks for substrings, case-sensitive. */
export function compileTextMatch(kind: TextMatch, query: string, index?: TextIndex): (value: string) => boolean {
  if (index === undefined) return compileSubstring(kind, query)
  const wanted = index.tokenize(query)
  if (wanted.length === 0) return () => false
  if (kind === 'phrase') {
    if (!index.phrases) return () => false
    const phrase = new PatternSet([wanted])
    return value => phrase.isIn(index.tokenize(value))
  }
  if (kind === 'text_any') {
    const some = new Set(wanted)
    return value => index.tokenize(value).some(token => some.has(token))
  }
  return value => {
    const tokens = new Set(index.tokenize(value))
    return wanted.every(token => tokens.has(token))
  }
}

/** Words and units up to which a search by `includes` is faster than an automaton and still bounded. */
const FEW_WORDS = 16
const SHORT_WORD = 256

function compileSubstring(kind: TextMatch, query: string): (value: string) => boolean {
  const words = kind === 'text_any' ? [...new Set(query.split(/\s+/u).filter(word => word !== ''))] : [query]
  if (words.length <= FEW_WORDS && words.every(word => word.length <= SHORT_WORD))
    return value => words.some(word => value.includes(word))
  // A string is a list of its UTF-16 units.
  const patterns = new PatternSet(words)
  return value => patterns.isIn(value)
}

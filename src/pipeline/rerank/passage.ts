import type { PassageParts } from '../../core/ports.ts'
import { prefixOf } from '../../core/prefix.ts'
import type { Chunk, Span } from '../../core/types.ts'
import { isCode } from '../../text/code/is-code.ts'
import { wordsOfCode } from '../../text/code/words-of-code.ts'

/** Longest passage for the reranker, in UTF-16 code units: about 8,000 tokens, the most that rerankers read. */
const LONGEST_PASSAGE = 32_768

type Source = Pick<Chunk, 'sectionPath' | 'docTitle' | 'text'>

/** What the reranker reads of a chunk: section path or title, then the text, of source code its words. */
export function passageOf(chunk: Source): string {
  return prefixOf(before(chunk) + bodyOf(chunk), LONGEST_PASSAGE)
}

/**
 * The same with the places of spans of the chunk's text; null when the passage has not the whole text.
 * @param spans in order; of source code they begin and end with lines
 */
export function passageWithParts(chunk: Source, spans: readonly Span[]): PassageParts | null {
  const text = passageOf(chunk)
  const length = isCode(chunk.text) ? (code: string) => wordsOfCode(code).length : (own: string) => own.length
  const parts: Span[] = []
  let place = before(chunk).length
  let read = 0
  for (const { start, end } of spans) {
    const from = place + length(chunk.text.slice(read, start))
    place = from + length(chunk.text.slice(start, end))
    read = end
    parts.push({ start: from, end: place })
  }
  return text.length < before(chunk).length + bodyOf(chunk).length ? null : { text, parts }
}

function before({ sectionPath, docTitle }: Source): string {
  const source = sectionPath || docTitle
  return source ? `${source}\n` : ''
}

function bodyOf({ text }: Source): string {
  return isCode(text) ? wordsOfCode(text) : text
}

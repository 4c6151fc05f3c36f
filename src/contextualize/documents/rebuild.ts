import { repeatedLength } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'

/** A chunk with what it takes to order it. */
type Part = Pick<Chunk, 'text' | 'orderIndex' | 'charStart' | 'charEnd'>

/** A document that was put together from its chunks. */
interface RebuiltDocument<P extends Part> {
  text: string
  /** The chunks in the order of the document, each with the place of its text in `text`, in UTF-16 code units. */
  parts: { part: P; start: number }[]
}

/**
 * Puts the text of a document together from its chunks. Chunks are ordered by their offsets, else by their order index, else as they are
 * given. Text that a chunk repeats from the one before is taken once; a gap becomes an empty line.
 */
export function rebuildDocument<P extends Part>(chunks: readonly P[]): RebuiltDocument<P> {
  const ordered = inOrder(chunks)
  const parts: RebuiltDocument<P>['parts'] = []
  let text = ''
  let end: number | null = null
  for (const part of ordered) {
    const exact = hasExactOffsets(part)
    const told = exact && end !== null && part.charStart < end ? end - part.charStart : null
    const shared = sharedLength(text, part.text, told)
    if (text !== '' && shared === 0 && !(exact && end === part.charStart)) text += '\n\n'
    parts.push({ part, start: text.length - shared })
    text += part.text.slice(shared)
    end = exact ? Math.max(part.charEnd, end ?? 0) : null
  }
  return { text, parts }
}

function inOrder<P extends Part>(chunks: readonly P[]): P[] {
  const keyOf = chunks.every(chunk => chunk.charStart !== null)
    ? (chunk: P) => chunk.charStart ?? 0
    : (chunk: P) => chunk.orderIndex ?? Number.MAX_SAFE_INTEGER
  return [...chunks].sort((a, b) => keyOf(a) - keyOf(b) || (a.orderIndex ?? 0) - (b.orderIndex ?? 0))
}

/** Whether the offsets of a chunk span its text: some splitters count characters or bytes, or change the text. */
function hasExactOffsets<P extends Part>(part: P): part is P & { charStart: number; charEnd: number } {
  return part.charStart !== null && part.charEnd !== null && part.charEnd - part.charStart === part.text.length
}

/**
 * How far before the end of `text` the text `next` begins, 0 when it repeats nothing.
 * @param told by the offsets; null when they say nothing
 */
function sharedLength(text: string, next: string, told: number | null): number {
  const isTrue = told !== null && told <= text.length && text.startsWith(next.slice(0, told), text.length - told)
  if (isTrue) return told
  return repeatedLength(text, next)
}

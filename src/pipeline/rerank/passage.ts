import { prefixOf } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'

/** Longest passage for the reranker, in UTF-16 code units: about 8,000 tokens, the most that rerankers read. */
const LONGEST_PASSAGE = 32_768

/** What the reranker reads of a chunk: section path or title, then the text. */
export function passageOf({ sectionPath, docTitle, text }: Pick<Chunk, 'sectionPath' | 'docTitle' | 'text'>): string {
  const source = sectionPath || docTitle
  return prefixOf(source ? `${source}\n${text}` : text, LONGEST_PASSAGE)
}

import { prefixOf } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'
import { documentName } from '../../rank/searched-text.ts'

/** Longest passage for the reranker, in UTF-16 code units: about 8,000 tokens, the most that rerankers read. */
const LONGEST_PASSAGE = 32_768

/** What the reranker reads of a chunk: the section path or the name of the document, then the text. */
export function passageOf(chunk: Pick<Chunk, 'sectionPath' | 'docTitle' | 'docName' | 'text'>): string {
  const { sectionPath, text } = chunk
  const source = sectionPath || documentName(chunk)
  return prefixOf(source ? `${source}\n${text}` : text, LONGEST_PASSAGE)
}

import { prefixOf } from '../../core/prefix.ts'
import type { Chunk } from '../../core/types.ts'
import { documentName } from '../../rank/searched-text.ts'
import { namedPath } from '../../text/names/titled-path.ts'

/** Longest passage for the reranker, in UTF-16 code units: about 8,000 tokens, the most that rerankers read. */
const LONGEST_PASSAGE = 32_768

/** What the reranker reads of a chunk: where it stands, then the text. */
export function passageOf(chunk: Pick<Chunk, 'sectionPath' | 'docTitle' | 'docName' | 'text'>): string {
  const source = sourceOf(chunk)
  return prefixOf(source === '' ? chunk.text : `${source}\n${chunk.text}`, LONGEST_PASSAGE)
}

/** The section path, or the name of the document. Where the path of the document says more than its title, both. */
function sourceOf(chunk: Pick<Chunk, 'sectionPath' | 'docTitle' | 'docName'>): string {
  const { sectionPath, docTitle, docName } = chunk
  if (sectionPath === '') return documentName(chunk)
  return docName === undefined ? sectionPath : namedPath(docTitle, docName, sectionPath)
}

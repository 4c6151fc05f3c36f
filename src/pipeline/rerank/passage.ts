import { prefixOf } from '../../core/prefix.ts'
import type { Candidate, Chunk } from '../../core/types.ts'
import { documentName } from '../../rank/searched-text.ts'
import { titleOf } from '../../text/names/document-name.ts'
import { readableName } from '../../text/names/readable-name.ts'
import { namedPath } from '../../text/names/titled-path.ts'

/** Longest passage for the reranker, in UTF-16 code units: about 8,000 tokens, the most that rerankers read. */
const LONGEST_PASSAGE = 32_768

/** What the reranker reads of a chunk: where it stands, then the text. */
export function passageOf({ chunk, sourceName }: Pick<Candidate, 'chunk' | 'sourceName'>): string {
  const source = sourceOf(chunk, sourceName)
  return prefixOf(source === '' ? chunk.text : `${source}\n${chunk.text}`, LONGEST_PASSAGE)
}

/**
 * The section path, or the title of the document. With its whole name where other candidates have the same title: elsewhere the name makes the passages of a
 * documentation more alike.
 */
function sourceOf(chunk: Chunk, sourceName: string | undefined): string {
  const { docTitle, sectionPath } = chunk
  if (sourceName !== undefined) return namedPath(readableName(titleOf(chunk)), sourceName, sectionPath)
  if (sectionPath !== '') return sectionPath
  return docTitle === '' ? titleOf(chunk) || documentName(chunk) : documentName(chunk)
}

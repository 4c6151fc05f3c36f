import type { Chunk } from '../core/types.ts'
import { type DocumentNames, titleOf } from '../text/names/document-name.ts'
import { readableName } from '../text/names/readable-name.ts'
import { namedPath } from '../text/names/titled-path.ts'

/** What a document is called: by its title or the name of its file, and by what its id or its path says beside it. */
export function documentName(names: DocumentNames): string {
  return namedPath(readableName(titleOf(names)), names.docName, '')
}

/** What a passage can be found by: the name of its document, section path, context and text. */
export function searchedText(chunk: Chunk): string {
  const { sectionPath, context = '', text } = chunk
  return `${documentName(chunk)}\n${sectionPath}\n${context}\n${text}`
}

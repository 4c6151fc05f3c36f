import type { Chunk } from '../core/types.ts'
import { readableName } from '../text/names/readable-name.ts'
import { namedPath } from '../text/names/titled-path.ts'

/** What a document is called: by its title, and by what its id or its path says beside it. */
export function documentName({ docTitle, docName }: Pick<Chunk, 'docTitle' | 'docName'>): string {
  return namedPath(readableName(docTitle), docName, '')
}

/** What a passage can be found by: the name of its document, section path, context and text. */
export function searchedText(chunk: Chunk): string {
  const { sectionPath, context = '', text } = chunk
  return `${documentName(chunk)}\n${sectionPath}\n${context}\n${text}`
}

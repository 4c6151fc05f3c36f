import type { Chunk } from '../core/types.ts'
import { readableName } from '../text/names/readable-name.ts'

/** What a document is called: by its title, else by what its id or its path says. */
export function documentName({ docTitle, docName = '' }: Pick<Chunk, 'docTitle' | 'docName'>): string {
  return readableName(docTitle) || docName
}

/** What a passage can be found by: the name of its document, section path, context and text. */
export function searchedText(chunk: Chunk): string {
  const { sectionPath, context = '', text } = chunk
  return `${documentName(chunk)}\n${sectionPath}\n${context}\n${text}`
}

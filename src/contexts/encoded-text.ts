import { type DocumentNames, titleOf } from '../text/names/document-name.ts'
import { namedPath } from '../text/names/titled-path.ts'

/** What the vectors of a chunk are made of. */
interface EncodedParts extends DocumentNames {
  sectionPath: string
  text: string
  context?: string
}

/**
 * The input of both vectors of a chunk, dense and sparse: its context, its title or the name of its file with what its path says and its section path,
 * and its text, a line each. Parts that are empty are left out.
 */
export function encodedText({ sectionPath, text, context = '', ...names }: EncodedParts): string {
  const path = namedPath(titleOf(names), names.docName, sectionPath)
  return [context, path, text].filter(part => part !== '').join('\n')
}

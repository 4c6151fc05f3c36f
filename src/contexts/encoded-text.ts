import { namedPath } from '../text/names/titled-path.ts'

/** What the vectors of a chunk are made of. */
export interface EncodedParts {
  docTitle: string
  /** What the path says beside the title; absent when it says nothing more. */
  docName?: string | undefined
  sectionPath: string
  text: string
  context?: string
}

/**
 * The input of both vectors of a chunk, dense and sparse: its context, its title with what its path says and its section path, and its text, a line each. Parts that
 * are empty are left out.
 */
export function encodedText({ docTitle, docName, sectionPath, text, context = '' }: EncodedParts): string {
  const path = namedPath(docTitle, docName, sectionPath)
  return [context, path, text].filter(part => part !== '').join('\n')
}

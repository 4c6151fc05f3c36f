import { titledPath } from '../text/names/titled-path.ts'

/**
 * The input of both vectors of a chunk, dense and sparse: its context, its title and section path, and its text, a line each. Parts that
 * are empty are left out.
 */
export function encodedText(chunk: { title: string; sectionPath: string; text: string; context?: string }): string {
  const path = titledPath(chunk.title, chunk.sectionPath)
  return [chunk.context ?? '', path, chunk.text].filter(part => part !== '').join('\n')
}

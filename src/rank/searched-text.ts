import type { Chunk } from '../core/types.ts'

/** What a passage can be found by: title, section path, context and text. */
export function searchedText({ docTitle, sectionPath, context = '', text }: Chunk): string {
  return `${docTitle}\n${sectionPath}\n${context}\n${text}`
}

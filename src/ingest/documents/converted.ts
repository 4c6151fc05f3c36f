import type { JsonObject } from '../../core/types.ts'

/** A document of another format as markdown. */
export interface ConvertedDocument {
  /** Null when the document does not say it. */
  title: string | null
  /** Markdown, or text that is none. */
  text: string
  /** Whether the text is no Markdown: a page of a manual that is one preformatted block. */
  isPlain?: boolean
  /** Primary language subtag in lower case, as `en`; null when the document does not say it. */
  lang: string | null
  /** Offset in `text` where each page begins, in order; null for formats without pages. */
  pages: number[] | null
  /** Fields of its front matter besides the title; only for formats that may have one. */
  frontMatter?: JsonObject | null
  /** `unknown` when nothing in the document tells headings from text. */
  headings: 'marked' | 'unknown'
  /** A fault that did not prevent reading, as the end of a sentence that begins with the name of the file. */
  warning: string | null
}

/** Why a file cannot be converted. */
export interface ConversionFault {
  /** A few words, for counting: `encrypted`, `damaged`, `no text layer`. */
  fault: string
  /** The end of a sentence that begins with the name of the file. */
  reason: string
}

/** The faults of a document that is read, as its warning. */
export function warningOf(faults: readonly (string | null)[]): string | null {
  const found = faults.filter(fault => fault !== null)
  return found.length === 0 ? null : found.join('; ')
}

export type Converted = ConvertedDocument | ConversionFault

export function tooLarge(reason: string): ConversionFault {
  return { fault: 'too large', reason }
}

export const TOO_MUCH_MEMORY = tooLarge('needs too much memory')

/** The primary subtag of a language tag, as `en` for `en-GB`; null when it is none. */
export function primaryLanguage(tag: unknown): string | null {
  const language = typeof tag === 'string' ? /^[a-z]{2,3}(?=$|[-_])/i.exec(tag.trim())?.[0] : undefined
  return language?.toLowerCase() ?? null
}

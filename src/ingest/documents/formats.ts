import type { BinaryFormat } from './convert.worker.ts'

export type DocumentFormat = 'markdown' | 'text' | BinaryFormat

/** How a file is read, by its extension. */
const FORMATS: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown',
  mdx: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  rst: 'text',
  rest: 'text',
  pdf: 'pdf',
  html: 'html',
  htm: 'html',
  docx: 'docx',
}

/** Matches the names of files that are documents. */
export const DOCUMENT_FILE = new RegExp(`\\.(?:${Object.keys(FORMATS).join('|')})$`, 'i')

/** `.md, .mdx, …` with the word before the last one. */
export const DOCUMENT_EXTENSIONS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  Object.keys(FORMATS).map(extension => `.${extension}`),
)

export function formatOf(file: string): DocumentFormat {
  return FORMATS[/\.([^.]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''] ?? 'markdown'
}

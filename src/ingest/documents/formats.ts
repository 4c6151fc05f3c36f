import type { BinaryFormat } from './convert.worker.ts'

export type DocumentFormat = 'markdown' | 'text' | 'subtitles' | 'code' | BinaryFormat

/** How a file is read, by its extension. */
const FORMATS: Readonly<Record<string, DocumentFormat>> = {
  md: 'markdown',
  mdx: 'markdown',
  markdown: 'markdown',
  txt: 'text',
  rst: 'text',
  rest: 'text',
  vtt: 'subtitles',
  srt: 'subtitles',
  pdf: 'pdf',
  html: 'html',
  htm: 'html',
  docx: 'docx',
}

/** Extensions of source code. Settings, data and style sheets are none. */
const CODE = new Set(
  'ts tsx mts cts js jsx mjs cjs py pyi rb php go rs java kt kts scala swift dart c h cc cpp cxx hpp hh cs m mm sh bash zsh ps1 lua pl pm r jl ex exs erl hs ml clj sql proto'.split(
    ' ',
  ),
)

/** Matches the names of files that are documents, and of those that are source code. */
export const DOCUMENT_FILE = fileOf(Object.keys(FORMATS))
export const DOCUMENT_OR_CODE_FILE = fileOf([...Object.keys(FORMATS), ...CODE])

/** `.md, .mdx, …` with the word before the last one. */
export const DOCUMENT_EXTENSIONS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  Object.keys(FORMATS).map(extension => `.${extension}`),
)

export function formatOf(file: string): DocumentFormat {
  const extension = /\.([^.]+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
  return FORMATS[extension] ?? (CODE.has(extension) ? 'code' : 'markdown')
}

function fileOf(extensions: readonly string[]): RegExp {
  return new RegExp(`\\.(?:${extensions.join('|')})$`, 'i')
}

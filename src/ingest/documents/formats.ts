import { extname } from 'node:path'
import type { ConvertedFormat } from './convert.worker.ts'

type DocumentFormat = 'markdown' | 'text' | 'subtitles' | 'code' | 'settings' | ConvertedFormat

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
  csv: 'csv',
  tsv: 'tsv',
  ipynb: 'notebook',
  adoc: 'asciidoc',
  asciidoc: 'asciidoc',
}

/** Extensions of source code that is read below a folder. Settings, data and style sheets are none. */
const CODE = new Set(
  'ts tsx mts cts js jsx mjs cjs py pyi rb php go rs java kt kts scala swift dart c h cc cpp cxx hpp hh cs m mm sh bash zsh ps1 lua pl pm r jl ex exs erl hs ml clj sql proto'.split(
    ' ',
  ),
)

/** Extensions of settings and data: a line of them that begins with `#` is a comment, and their indentation says something. */
const SETTINGS = new Set(
  'conf cnf cfg ini env properties toml yaml yml json xml service socket timer mount target slice rules'.split(' '),
)

/** Matches the names of files that are documents, and of those that are source code. */
export const DOCUMENT_FILE = fileOf(Object.keys(FORMATS))
export const DOCUMENT_OR_CODE_FILE = fileOf([...Object.keys(FORMATS), ...CODE])

/** `.md, .mdx, …` with the word before the last one. */
export const DOCUMENT_EXTENSIONS = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  Object.keys(FORMATS).map(extension => `.${extension}`),
)

/** How a file is read when it is named. Settings are read as they stand, as source code is, and a file with another extension, or with none, as Markdown. */
export function formatOf(file: string): DocumentFormat {
  return knownFormatOf(file) ?? 'markdown'
}

/** Whether a file has an extension by which nothing is known of its format. */
export function isUnknownFormat(file: string): boolean {
  return extensionOf(file) !== '' && knownFormatOf(file) === null
}

function knownFormatOf(file: string): DocumentFormat | null {
  const extension = extensionOf(file)
  return FORMATS[extension] ?? (CODE.has(extension) ? 'code' : SETTINGS.has(extension) ? 'settings' : null)
}

/** What a template of a file has behind its own extension: `app.conf.sample`. */
const TEMPLATE = /(?<=\.\w+)\.(?:sample|example|dist|default|template)$/iu

const extensionOf = (file: string): string => extname(file.replace(TEMPLATE, '')).slice(1).toLowerCase()

/** How skipped files can be read. @param skipped counts by extension */
export function hintsFor(skipped: Readonly<Record<string, number>>): string[] {
  return [
    ...('.jsonl' in skipped ? ['rows are read when the path is that of the .jsonl file'] : []),
    ...(Object.keys(skipped).some(kind => CODE.has(extensionOf(`file${kind}`)))
      ? ['source code is read with --code']
      : []),
  ]
}

function fileOf(extensions: readonly string[]): RegExp {
  return new RegExp(`\\.(?:${extensions.join('|')})$`, 'i')
}

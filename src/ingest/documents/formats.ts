import { codeFile, extensionOf, SOURCE_LANGUAGES } from '../../text/code/file-language.ts'
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

/** Matches the names of files that are documents, and of those that are source code. */
export const DOCUMENT_FILE = fileOf(Object.keys(FORMATS))
export const DOCUMENT_OR_CODE_FILE = fileOf([...Object.keys(FORMATS), ...SOURCE_LANGUAGES.keys()])

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
  if (Object.hasOwn(FORMATS, extension)) return FORMATS[extension] ?? null
  return codeFile(file)?.kind ?? null
}

/** How skipped files can be read. @param skipped counts by extension */
export function hintsFor(skipped: Readonly<Record<string, number>>): string[] {
  return [
    ...('.jsonl' in skipped ? ['rows are read when the path is that of the .jsonl file'] : []),
    ...(Object.keys(skipped).some(kind => SOURCE_LANGUAGES.has(extensionOf(`file${kind}`)))
      ? ['source code is read with --code']
      : []),
  ]
}

function fileOf(extensions: readonly string[]): RegExp {
  return new RegExp(`\\.(?:${extensions.join('|')})$`, 'i')
}

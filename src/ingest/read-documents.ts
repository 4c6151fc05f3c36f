import { createReadStream, existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { badRequest } from '../core/errors.ts'
import { readableName } from '../text/names/readable-name.ts'
import { createConverter, type DocumentConverter } from './documents/converter.ts'
import { DOCUMENT_EXTENSIONS, DOCUMENT_FILE, DOCUMENT_OR_CODE_FILE, formatOf, hintsFor } from './documents/formats.ts'
import { convertDocument, readCode, readDocument } from './read-file.ts'
import { pageReader } from './sites/read-pages.ts'
import type { SkippedDocument, SourceDocument, SourceEntry } from './source-document.ts'
import { fileId, folderId, type Survey, survey } from './survey.ts'
import { readJsonLines, splitLines } from './text-files.ts'

interface DocumentSource {
  /** Absolute path of the folder or of the file with the rows. */
  folder: string
  /** Number of documents; for JSON lines an upper bound (blank lines count). */
  total: number
  /** The size of all of them together, as far as it is known before they are read. */
  bytes: number
  /** Files that are not documents, by kind: `.png`, `hidden folder`. */
  skipped: Record<string, number>
  /** @throws StowageError `bad_request` at a faulty row, with file, line, field and value */
  documents: AsyncIterable<SourceEntry>
}

export interface OpenOptions {
  /** Name of the source. The ids of all documents begin with it and a `/`. */
  source?: string | undefined
  /** Accept a folder without documents. */
  allowEmpty?: boolean | undefined
  /** Of a folder, read the source code, too. */
  code?: boolean | undefined
}

/** BEIR ids may be numbers, also beyond 2^53. */
export const beirId = z.union([z.string().min(1), z.number(), z.bigint()]).transform(String)

/** A row of `corpus.jsonl`: `doc_id` in the golden format, `_id` in the BEIR format. */
export const documentRow = z
  .object({
    doc_id: z.string().min(1).optional(),
    _id: beirId.optional(),
    title: z.string().nullish(),
    text: z.string(),
  })
  .refine(row => (row.doc_id ?? row._id) !== undefined, {
    path: ['doc_id'],
    message: 'either doc_id or _id is required',
  })
  .transform(({ doc_id, _id, title, text }) => ({ docId: doc_id ?? _id ?? '', title: readableName(title ?? ''), text }))

/**
 * Opens a document of a format that `formats.ts` knows, a folder of them, a file with rows in the golden or BEIR format, or a set in one of these formats.
 * In other folders, files with rows are not documents, so that such a file never stands for the others: its own path opens it.
 *
 * The id of a file is its path below the folder, with `/` between folders and without `.md`. CRLF and CR become LF. Front matter and the
 * marks of documentation tools are left out of markdown; words that a manual parts at line ends become whole in other text; the text of a row is taken as it is. UTF-16 is read when it begins with a
 * byte order mark. Text that is not UTF-8 is read as Windows-1252, or its broken bytes become U+FFFD, and the document has a warning. Binary files are skipped, and so are those that
 * cannot be converted. Of a folder, source code is read with `code` alone; its title is the name of the file.
 *
 * @throws StowageError `bad_request` when the path holds nothing to read
 */
export async function openDocuments(path: string, options: OpenOptions = {}): Promise<DocumentSource> {
  const given = await stat(path).catch(() => null)
  if (given === null) throw badRequest(`nothing to read at ${path}`)
  return openPlace(given.isFile() ? path : placeOfDocuments(path), options)
}

/** A golden or BEIR set has its documents in `corpus.jsonl` or in the folder `corpus`, beside its `queries.jsonl`. */
function placeOfDocuments(folder: string): string {
  if (!existsSync(join(folder, 'queries.jsonl'))) return folder
  return ['corpus.jsonl', 'corpus'].map(name => join(folder, name)).find(place => existsSync(place)) ?? folder
}

async function openPlace(path: string, options: OpenOptions): Promise<DocumentSource> {
  const info = await stat(path)
  const idOf = (id: string): string => (options.source === undefined ? id : `${options.source}/${id}`)
  if (info.isFile() && path.endsWith('.jsonl'))
    return { folder: await realpath(path), ...(await measureLines(path)), skipped: {}, documents: readRows(path, idOf) }
  const root = info.isFile() ? dirname(path) : path
  const found: Survey = info.isFile()
    ? { files: [path], skipped: {}, unreadable: [] }
    : await survey(root, options.code ? DOCUMENT_OR_CODE_FILE : DOCUMENT_FILE)
  const { files, skipped, unreadable } = found
  if (files.length === 0 && !options.allowEmpty) {
    const others = [
      ...Object.entries(skipped).map(([kind, count]) => `${count} ${kind}`),
      ...unreadable.map(({ folder, reason }) => `${folder}: ${reason}`),
    ]
    const note = others.length > 0 ? ` (skipped: ${others.join(', ')})` : ''
    const known = `${DOCUMENT_EXTENSIONS}${options.code ? ' file and no source code' : ' file'}`
    throw badRequest([`no ${known} below ${root}${note}`, ...hintsFor(skipped)].join('; '))
  }
  const sizes = await sizesOf(files)
  return {
    folder: await realpath(root),
    total: files.length,
    bytes: [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0),
    skipped,
    documents: readFiles(root, { ...found, sizes }, idOf),
  }
}

async function* readFiles(
  root: string,
  { files, unreadable, sizes }: Survey & { sizes: ReadonlyMap<string, number> },
  idOf: (id: string) => string,
): AsyncIterable<SourceEntry> {
  for (const { folder, reason } of unreadable) {
    const warning = `${folder} cannot be read: ${reason}; the documents below it are skipped`
    yield { idsBegin: idOf(folderId(root, folder)), skipped: 'unreadable folder', warning }
  }
  const converter = createConverter()
  const idOfFile = (file: string): string => idOf(fileId(root, file))
  const readPage = pageReader(
    files.filter(file => formatOf(file) === 'html'),
    file => convertDocument(file, idOfFile(file), 'html', converter),
  )
  try {
    for (const file of files) {
      const format = formatOf(file)
      const entry = format === 'html' ? await readPage(file) : await readFileAs(format, file, idOfFile(file), converter)
      yield { ...entry, bytes: sizes.get(file) ?? 0 }
    }
  } finally {
    await converter.close()
  }
}

function readFileAs(
  format: ReturnType<typeof formatOf>,
  file: string,
  docId: string,
  converter: DocumentConverter,
): Promise<SourceDocument | SkippedDocument> {
  if (format === 'code' || format === 'settings') return readCode(file, docId)
  if (format === 'markdown' || format === 'text' || format === 'subtitles') return readDocument(file, docId)
  return convertDocument(file, docId, format, converter)
}

/** The size of each file in bytes; 0 for one that cannot be looked at. */
async function sizesOf(files: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const sizeOf = async (file: string) => (await stat(file).catch(() => null))?.size ?? 0
  return new Map(await Promise.all(files.map(async file => [file, await sizeOf(file)] as const)))
}

async function* readRows(path: string, idOf: (id: string) => string): AsyncIterable<SourceDocument> {
  for await (const { line, bytes, isBroken, row, faults } of readJsonLines(path, documentRow)) {
    const place = `${path}:${line}`
    if (row === null) throw badRequest(`${place}: ${faults.join('; ')}`)
    const document = { ...row, docId: idOf(row.docId), place, bytes }
    yield isBroken ? { ...document, warning: `${place} is not valid UTF-8` } : document
  }
}

/** The number of lines, and their length together without the newlines. */
async function measureLines(path: string): Promise<Pick<DocumentSource, 'total' | 'bytes'>> {
  const measured = { total: 0, bytes: 0 }
  for await (const line of splitLines(createReadStream(path))) {
    measured.total += 1
    measured.bytes += line.length
  }
  return measured
}

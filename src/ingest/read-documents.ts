import { createReadStream, existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, extname, join, relative, sep } from 'node:path'
import { z } from 'zod'
import { StowageError } from '../core/errors.ts'
import { FRONT_MATTER } from './chunking/sections.ts'
import { decodeUtf8, readJsonLines, splitLines } from './text-files.ts'

export interface SourceDocument {
  docId: string
  /** '' when the source has no title. */
  title: string
  text: string
  /** A fault that did not prevent reading, with the name of the file. */
  warning?: string
}

export interface DocumentSource {
  /** Number of documents; for JSON lines an upper bound (blank lines count). */
  total: number
  /** @throws StowageError `bad_request` at a faulty row, with file, line, field and value */
  documents: AsyncIterable<SourceDocument>
}

/** BEIR ids may be numbers. */
export const beirId = z.union([z.string().min(1), z.number()]).transform(String)

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
  .transform(({ doc_id, _id, title, text }) => ({ docId: doc_id ?? _id ?? '', title: title ?? '', text }))

const TEXT_FILE = /\.(md|markdown|txt)$/i

/**
 * Opens a markdown or text file, a folder of them, a `corpus.jsonl` in the golden or BEIR format, or a folder that holds one.
 *
 * The id of a file is its path below the folder, with `/` between folders and without `.md`. CRLF becomes LF, so that offsets are
 * equal on every checkout. Bytes that are not UTF-8 become U+FFFD, and the document has a warning.
 *
 * @throws StowageError `bad_request` when the path holds nothing to read
 */
export async function openDocuments(path: string): Promise<DocumentSource> {
  const info = await stat(path).catch(() => null)
  if (info === null) throw new StowageError('bad_request', `nothing to read at ${path}`)
  const rows = info.isFile() ? path : join(path, 'corpus.jsonl')
  if (rows.endsWith('.jsonl') && existsSync(rows)) return { total: await countLines(rows), documents: readRows(rows) }
  if (info.isFile()) return { total: 1, documents: readFiles(dirname(path), [path]) }
  // A golden set has its documents in a folder next to its queries.
  const root = existsSync(join(path, 'queries.jsonl')) ? join(path, 'corpus') : path
  const files = await listFiles(root, TEXT_FILE)
  if (files.length === 0) throw new StowageError('bad_request', `no .md, .markdown or .txt file below ${root}`)
  return { total: files.length, documents: readFiles(root, files) }
}

/** Lists the files below a folder whose names match, sorted; hidden folders and `node_modules` are skipped. */
export async function listFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    throw new StowageError('bad_request', `cannot read ${folder}: ${error.code}`)
  })
  const nested = entries.map(async entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : listFiles(path, pattern)
    return entry.isFile() && pattern.test(entry.name) ? [path] : []
  })
  return (await Promise.all(nested)).flat().sort()
}

/** The path of a file below `root`, with `/` between folders and without `.md`. */
export function fileId(root: string, file: string): string {
  return relative(root, file).split(sep).join('/').replace(/\.md$/, '')
}

async function* readFiles(root: string, files: string[]): AsyncIterable<SourceDocument> {
  for (const file of files) {
    const decoded = decodeUtf8(await readFile(file))
    const text = decoded.text.replaceAll('\r\n', '\n')
    const document = { docId: fileId(root, file), title: titleOf(text) ?? basename(file, extname(file)), text }
    yield decoded.isBroken ? { ...document, warning: `${file} is not valid UTF-8` } : document
  }
}

/** The title in the front matter, else the first heading when the text starts with one; null without either. */
function titleOf(text: string): string | null {
  const frontMatter = FRONT_MATTER.exec(text)
  const named = /^title:[ \t]*(["']?)(\S.*?)\1[ \t]*$/m.exec(frontMatter?.[1] ?? '')?.[2]
  const body = text.slice(frontMatter?.[0].length ?? 0).trimStart()
  return named ?? /^#[ \t]+(.*\S)/.exec(body)?.[1]?.replace(/[ \t]+#+$/, '') ?? null
}

async function* readRows(path: string): AsyncIterable<SourceDocument> {
  for await (const { line, isBroken, row, faults } of readJsonLines(path, documentRow)) {
    if (row === null) throw new StowageError('bad_request', `${path}:${line}: ${faults.join('; ')}`)
    yield isBroken ? { ...row, warning: `${path}:${line} is not valid UTF-8` } : row
  }
}

async function countLines(path: string): Promise<number> {
  let lines = 0
  for await (const _ of splitLines(createReadStream(path))) lines += 1
  return lines
}

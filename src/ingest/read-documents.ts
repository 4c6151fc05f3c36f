import { createReadStream } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, extname, join, relative, sep } from 'node:path'
import { StowageError } from '../core/errors.ts'
import { decodeUtf8, type SourceDocument, splitLines } from './decode-text.ts'
import { FRONT_MATTER } from './front-matter.ts'

export interface DocumentSource {
  /** Documents to expect; for JSON lines an upper bound (blank lines count). */
  total: number
  /** Yields each document once. Throws `bad_request` at a row that is no document, naming file and line. */
  documents: AsyncIterable<SourceDocument>
}

const TEXT_FILE = /\.(md|markdown|txt)$/i

/**
 * Opens what can be ingested: a markdown or text file, a folder of them (hidden folders and `node_modules` left out), a
 * `corpus.jsonl` of rows `{doc_id, title, text}` or, as BEIR has them, `{_id, title, text}`, or a folder that holds one.
 *
 * A file's id is its path below the folder, with `/` between folders and without `.md`; its CRLF is read as LF, so that
 * offsets mean the same on every checkout. Bytes that are not UTF-8 become U+FFFD, and the document carries a warning.
 *
 * @throws StowageError `bad_request` when there is nothing to read at the path
 */
export async function openDocuments(path: string): Promise<DocumentSource> {
  const info = await stat(path).catch(() => null)
  if (info === null) throw new StowageError('bad_request', `nothing to read at ${path}`)
  if (info.isFile()) {
    if (path.endsWith('.jsonl')) return openRows(path)
    return { total: 1, documents: readFiles([path], fileId(basename(path))) }
  }
  const corpus = join(path, 'corpus.jsonl')
  if ((await stat(corpus).catch(() => null))?.isFile()) return openRows(corpus)
  // A golden set keeps its documents beside its queries.
  const isGolden = (await stat(join(path, 'queries.jsonl')).catch(() => null)) !== null
  const root = isGolden ? join(path, 'corpus') : path
  const files = await listFiles(root)
  if (files.length === 0) throw new StowageError('bad_request', `no .md, .markdown or .txt file below ${root}`)
  return { total: files.length, documents: readFiles(files, file => fileId(relative(root, file))) }
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(error => {
    throw new StowageError('bad_request', `cannot read ${folder}: ${error.code}`)
  })
  const nested = entries.map(async entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name.startsWith('.') || entry.name === 'node_modules' ? [] : listFiles(path)
    return entry.isFile() && TEXT_FILE.test(entry.name) ? [path] : []
  })
  const paths = (await Promise.all(nested)).flat()
  return paths.sort((a, b) => (a < b ? -1 : 1))
}

async function* readFiles(files: string[], idOf: string | ((file: string) => string)): AsyncIterable<SourceDocument> {
  for (const file of files) {
    const { text, isBroken } = decodeUtf8(await readFile(file))
    const unix = text.replaceAll('\r\n', '\n')
    const title = titleOf(unix) ?? basename(file, extname(file))
    const document = { docId: typeof idOf === 'string' ? idOf : idOf(file), title, text: unix }
    yield isBroken ? { ...document, warning: `${file} is not valid UTF-8` } : document
  }
}

function fileId(path: string): string {
  return path.split(sep).join('/').replace(/\.md$/, '')
}

/** The title that a document gives itself in front matter or in a first heading; null when it gives none. */
function titleOf(text: string): string | null {
  const frontMatter = FRONT_MATTER.exec(text)
  const named = /^title:[ \t]*(["']?)(\S.*?)\1[ \t]*$/m.exec(frontMatter?.[1] ?? '')?.[2]
  const body = text.slice(frontMatter?.[0].length ?? 0).trimStart()
  return named ?? /^#[ \t]+(.*\S)/.exec(body)?.[1]?.replace(/[ \t]+#+$/, '') ?? null
}

async function openRows(path: string): Promise<DocumentSource> {
  return { total: await countLines(path), documents: readRows(path) }
}

async function* readRows(path: string): AsyncIterable<SourceDocument> {
  let line = 0
  for await (const bytes of splitLines(createReadStream(path))) {
    line += 1
    const { text, isBroken } = decodeUtf8(bytes)
    if (text.trim() === '') continue
    const place = `${path}:${line}`
    const document = readRow(text, place)
    yield isBroken ? { ...document, warning: `${place} is not valid UTF-8` } : document
  }
}

function readRow(text: string, place: string): SourceDocument {
  let row: unknown
  try {
    row = JSON.parse(text)
  } catch (error) {
    throw new StowageError('bad_request', `${place}: not JSON (${(error as Error).message})`)
  }
  if (typeof row !== 'object' || row === null) throw new StowageError('bad_request', `${place}: not an object`)
  const { doc_id, _id, title, text: body } = row as Record<string, unknown>
  const docId = doc_id ?? _id
  if (typeof docId !== 'string' || docId === '') {
    throw new StowageError('bad_request', `${place}: doc_id (or _id) must be a non-empty string`)
  }
  if (typeof body !== 'string') throw new StowageError('bad_request', `${place}: text must be a string`)
  if ((title ?? null) !== null && typeof title !== 'string') {
    throw new StowageError('bad_request', `${place}: title must be a string`)
  }
  return { docId, title: typeof title === 'string' ? title : '', text: body }
}

async function countLines(path: string): Promise<number> {
  const file = await open(path)
  try {
    let lines = 0
    for await (const _ of splitLines(file.createReadStream({ autoClose: false }))) lines += 1
    return lines
  } finally {
    await file.close()
  }
}

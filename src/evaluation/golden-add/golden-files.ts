import { existsSync } from 'node:fs'
import { open, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { badRequest } from '../../core/errors.ts'
import { makeFolder } from '../../files/make-folder.ts'
import { decodeUtf8 } from '../../ingest/text-files.ts'
import { parseObject, printJson } from '../../qdrant/json.ts'
import { UNANSWERABLE } from '../golden-set/unanswerable.ts'
import { questionKey } from './read-traces.ts'

/** Files of golden questions that grow line by line. */
export interface GoldenFolder {
  /** Keys of the questions that are in the folder. */
  known: ReadonlySet<string>
  /** Appends a row to `queries.jsonl`; the row is on the disk when it resolves. The returned function takes it away again. */
  addQuery(row: object): Promise<() => Promise<void>>
  /** The same for `unanswerable.jsonl`: questions that the documents do not answer. */
  addUnanswerable(row: object): Promise<() => Promise<void>>
}

const QUERIES = 'queries.jsonl'
const knownRow = z.object({ query: z.string(), tenant: z.string().nullish() })

/** Opens a folder for golden questions; it is made when it is not there. @throws StowageError `bad_request` when a file has a broken row */
export async function openGoldenFolder(folder: string): Promise<GoldenFolder> {
  await makeFolder(folder)
  const [queries, unanswerable] = [join(folder, QUERIES), join(folder, UNANSWERABLE)]
  const known = new Set<string>()
  for (const path of [queries, unanswerable]) {
    await dropTornLine(path)
    for (const { query, tenant = null } of await readRows(path)) known.add(questionKey(query, tenant))
  }
  return {
    known,
    addQuery: row => append(queries, row),
    addUnanswerable: row => append(unanswerable, row),
  }
}

/** How the rows begin that are written here. */
const OWN_ROW = '{"id":"trace-'

/**
 * Removes the end of a row of this program whose writing was cut off, and ends another line that has no line break. A row that a person
 * wrote is never removed, whatever is wrong with it.
 */
async function dropTornLine(path: string): Promise<void> {
  if (!existsSync(path)) return
  const bytes = await readFile(path)
  const end = bytes.lastIndexOf(0x0a) + 1
  if (end === bytes.length) return
  const line = decodeUtf8(bytes.subarray(end)).text
  const isOwn = line.startsWith(OWN_ROW) || OWN_ROW.startsWith(line)
  if (isOwn && parseObject(line) === null) await truncate(path, end)
  else await write(path, '\n')
}

async function readRows(path: string): Promise<z.infer<typeof knownRow>[]> {
  if (!existsSync(path)) return []
  const lines = decodeUtf8(await readFile(path)).text.split('\n')
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return []
    const row = knownRow.safeParse(parseObject(line)).data
    if (row) return [row]
    throw badRequest(`${path}:${at + 1}: is not a row with a query`)
  })
}

async function append(path: string, row: object): Promise<() => Promise<void>> {
  const before = await write(path, `${printJson(row)}\n`)
  return () => truncate(path, before)
}

/** Appends a text and waits until it is on the disk. Resolves with the size before. */
async function write(path: string, text: string): Promise<number> {
  const file = await open(path, 'a', 0o600)
  try {
    const { size } = await file.stat()
    await file.writeFile(text)
    await file.sync()
    return size
  } finally {
    await file.close()
  }
}

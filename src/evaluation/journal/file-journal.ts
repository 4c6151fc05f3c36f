import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { lockFolder } from '../../files/folder-lock.ts'
import { type FilePart, LineFile, linesOf } from '../../files/line-file.ts'
import { makeFolderSync } from '../../files/make-folder.ts'
import type { QueryDetails, QueryResult } from '../replay/results.ts'
import { type Journal, keyOf, type SetFacts } from './journal.ts'

type Line = { set: number; facts: SetFacts } | { set: number; result: QueryResult; details: FilePart | null }

const FIGURES = 'figures.jsonl'
const DETAILS = 'details.gz'

const compress = promisify(gzip)
const expand = promisify(gunzip)

/**
 * Opens a journal in a folder of its own: one line of JSON per finished query, and a file with the compressed details. Both are only written
 * at their ends, the line last, so a process that is killed at any moment leaves whole lines and at most one torn end, which is cut off here.
 * A power cut may lose the last lines.
 * @param isFresh forgets what an earlier replay left
 * @throws Error when another process works with the folder
 */
export function openFileJournal(folder: string, isFresh: boolean): Journal {
  makeFolderSync(folder)
  const unlock = lockFolder(folder)
  try {
    if (isFresh) for (const name of [FIGURES, DETAILS]) rmSync(join(folder, name), { force: true })
    return new FileJournal(folder, unlock)
  } catch (error) {
    unlock()
    throw error
  }
}

class FileJournal implements Journal {
  readonly #folder: string
  readonly #unlock: () => void
  readonly #facts = new Map<number, SetFacts>()
  readonly #queries = new Map<string, { result: QueryResult; details: FilePart | null }>()
  readonly #figures: LineFile
  readonly #details: LineFile
  /** Bytes of the details that a line refers to. */
  #detailsEnd = 0

  constructor(folder: string, unlock: () => void) {
    this.#folder = folder
    this.#unlock = unlock
    this.#figures = new LineFile(join(folder, FIGURES), this.#readLines(join(folder, FIGURES)))
    this.#details = new LineFile(join(folder, DETAILS), this.#detailsEnd)
  }

  facts(set: number): SetFacts | null {
    return this.#facts.get(set) ?? null
  }

  addFacts(set: number, facts: SetFacts): void {
    this.#append({ set, facts })
  }

  result(set: number, id: string): QueryResult | null {
    return this.#queries.get(keyOf(set, id))?.result ?? null
  }

  async add(set: number, result: QueryResult, details: QueryDetails | null): Promise<void> {
    const packed = details && (await compress(JSON.stringify(details, exactIntegers)))
    // From here on nothing waits, so that the records of two queries do not mix.
    const part = packed && { at: this.#details.size, bytes: packed.length }
    if (packed) this.#details.append(packed)
    this.#append({ set, result, details: part })
  }

  async details(set: number, id: string): Promise<QueryDetails | null> {
    const part = this.#queries.get(keyOf(set, id))?.details
    if (!part) return null
    return JSON.parse((await expand(this.#details.read(part))).toString())
  }

  close(isFinished: boolean): void {
    this.#figures.close()
    this.#details.close()
    if (isFinished) rmSync(this.#folder, { recursive: true, force: true })
    this.#unlock()
  }

  #append(line: Line): void {
    const text = JSON.stringify(line)
    this.#figures.append(`${text}\n`)
    // What is kept is what a later replay would read.
    this.#apply(JSON.parse(text))
  }

  #apply(line: Line): void {
    if ('facts' in line) this.#facts.set(line.set, line.facts)
    else {
      const { set, result, details } = line
      this.#queries.set(keyOf(set, result.id), { result, details })
      if (details) this.#detailsEnd = Math.max(this.#detailsEnd, details.at + details.bytes)
    }
  }

  /** Applies the lines up to the first that is not whole. Returns the bytes that they take. */
  #readLines(path: string): number {
    let good = 0
    for (const { line, end } of linesOf(path)) {
      try {
        this.#apply(JSON.parse(line.toString()))
      } catch {
        return good
      }
      good = end
    }
    return good
  }
}

/** Point ids beyond 2^53 become text: details are read by people. */
function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

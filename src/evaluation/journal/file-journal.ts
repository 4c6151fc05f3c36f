import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { QueryDetails, QueryResult } from '../replay/results.ts'
import { type Journal, keyOf, type SetFacts } from './journal.ts'

/** Holds a folder for this process until the returned function is called. @throws Error when another process holds it */
export type LockFolder = (folder: string) => () => void

/** Where the details of a query stand: bytes from the start of the file. */
interface Part {
  at: number
  bytes: number
}

type Line = { set: number; facts: SetFacts } | { set: number; result: QueryResult; details: Part | null }

const FIGURES = 'figures.jsonl'
const DETAILS = 'details.gz'
const LINE_END = 10

const compress = promisify(gzip)
const expand = promisify(gunzip)

/**
 * Opens a journal in a folder of its own: one line of JSON per finished query, and a file with the compressed details. Both are only written
 * at their ends, the line last, so a process that is killed at any moment leaves whole lines and at most one torn end, which is cut off here.
 * A power cut may lose the last lines.
 * @param isFresh forgets what an earlier replay left
 * @throws Error when another process works with the folder
 */
export function openFileJournal(folder: string, lock: LockFolder, isFresh: boolean): Journal {
  mkdirSync(folder, { recursive: true })
  const unlock = lock(folder)
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
  readonly #queries = new Map<string, { result: QueryResult; details: Part | null }>()
  readonly #figures: number
  readonly #details: number
  /** Bytes of the details that a line refers to. */
  #detailsEnd = 0

  constructor(folder: string, unlock: () => void) {
    this.#folder = folder
    this.#unlock = unlock
    this.#figures = openSync(join(folder, FIGURES), 'a+')
    this.#details = openSync(join(folder, DETAILS), 'a+')
    ftruncateSync(this.#figures, this.#readLines(readFileSync(join(folder, FIGURES))))
    ftruncateSync(this.#details, this.#detailsEnd)
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
    const part = packed && { at: this.#detailsEnd, bytes: packed.length }
    if (packed) writeWhole(this.#details, packed)
    this.#append({ set, result, details: part })
  }

  async details(set: number, id: string): Promise<QueryDetails | null> {
    const part = this.#queries.get(keyOf(set, id))?.details
    if (!part) return null
    const packed = Buffer.alloc(part.bytes)
    readSync(this.#details, packed, 0, part.bytes, part.at)
    return JSON.parse((await expand(packed)).toString())
  }

  close(isFinished: boolean): void {
    closeSync(this.#figures)
    closeSync(this.#details)
    if (isFinished) rmSync(this.#folder, { recursive: true, force: true })
    this.#unlock()
  }

  #append(line: Line): void {
    const text = JSON.stringify(line)
    writeWhole(this.#figures, Buffer.from(`${text}\n`))
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
  #readLines(bytes: Buffer): number {
    let good = 0
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, good)) {
      try {
        this.#apply(JSON.parse(bytes.toString('utf8', good, end)))
      } catch {
        return good
      }
      good = end + 1
    }
    return good
  }
}

/** A write to a file may take less than it was given, for example when a signal comes. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
}

/** Point ids beyond 2^53 become text: details are read by people. */
function exactIntegers(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

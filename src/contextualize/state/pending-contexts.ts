import { renameSync } from 'node:fs'
import type { ChunkContext } from '../../contexts/context.ts'
import { LineFile, linesOf } from '../../files/line-file.ts'
import { type AskedModel, addSpending, type Spending } from './spending.ts'

/** A context that is written and may not be in the collection yet. */
interface PendingLine extends AskedModel {
  key: string
  context: ChunkContext
}

/** The first line of the file: what was spent until it was written anew, with the contexts in the lines that `counted` counts. */
interface CheckpointLine {
  spending: Spending
  counted: number
}

/**
 * The contexts that are not in the collection yet, and what was spent. Each context is written to the end of the file as it arrives, so a
 * process that is killed loses only the requests in flight. A checkpoint writes the file anew without the contexts that are stored; it
 * replaces the old file in one step.
 */
export class PendingContexts {
  readonly #path: string
  readonly #pending = new Map<string, PendingLine>()
  #spending: Spending = {}
  #file: LineFile

  constructor(path: string) {
    this.#path = path
    const { spending, lines } = readState(path)
    this.#spending = spending
    for (const line of lines) this.#pending.set(line.key, line)
    this.#file = this.#rewrite()
  }

  /** What all runs with this file spent. */
  get spending(): Spending {
    return this.#spending
  }

  find(key: string): ChunkContext | null {
    return this.#pending.get(key)?.context ?? null
  }

  add(key: string, { model, endpoint }: AskedModel, context: ChunkContext): void {
    const line = { key, model, endpoint, context }
    this.#file.append(`${JSON.stringify(line)}\n`)
    this.#pending.set(key, line)
    this.#spending = addSpending(this.#spending, line, context)
  }

  /** Forgets contexts that are in the collection, or that nobody needs any more. */
  checkpoint(keys: Iterable<string>): void {
    for (const key of keys) this.#pending.delete(key)
    const before = this.#file
    this.#file = this.#rewrite()
    before.close()
  }

  close(): void {
    this.#file.close()
  }

  /** @returns the new file */
  #rewrite(): LineFile {
    const lines = [...this.#pending.values()]
    const first: CheckpointLine = { spending: this.#spending, counted: lines.length }
    const fresh = `${this.#path}.new`
    const file = new LineFile(fresh, 0)
    try {
      file.append([first, ...lines].map(line => `${JSON.stringify(line)}\n`).join(''))
      file.sync()
      renameSync(fresh, this.#path)
      return file
    } catch (error) {
      file.close()
      throw error
    }
  }
}

/** What all runs with a file spent, also while a run writes to it. */
export const readSpending = (path: string): Spending => readState(path).spending

function readState(path: string): { spending: Spending; lines: PendingLine[] } {
  const [first, ...rest] = parsedLines(path)
  const { spending: counted, counted: count } = (first ?? { spending: {}, counted: 0 }) as CheckpointLine
  const lines = rest as PendingLine[]
  const spending = lines.slice(count).reduce((sum, line) => addSpending(sum, line, line.context), counted)
  return { spending, lines }
}

/** The parsed lines of a file up to the first that is not whole: a process may be killed while it writes one. */
function* parsedLines(path: string): Generator<unknown> {
  for (const { line } of linesOf(path)) {
    try {
      yield JSON.parse(line.toString())
    } catch {
      return
    }
  }
}

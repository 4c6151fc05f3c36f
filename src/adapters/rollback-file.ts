import { readFile, rename, writeFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Rollback, rollbackSchema } from '../rollout/rollout.ts'
import { ignoreMissing } from './ignore-missing.ts'

const schema = z.object({ version: z.literal(1), rollbacks: z.array(rollbackSchema) })

/** The rollbacks that are open, kept in a file for the next process. */
export interface RollbackFile {
  /** The rollbacks when the file was opened. */
  rollbacks: readonly Rollback[]
  /** Replaces the content, in the background and in order. */
  save(rollbacks: readonly Rollback[]): void
  /** Waits for the last write. */
  close(): Promise<void>
}

/**
 * Opens the file; a missing one holds no rollbacks. Each write goes to a second file, which then replaces the first.
 * @param onError called when the file cannot be written
 * @param known the rollbacks of a process that this one replaces; the file is then not read, and nothing is thrown
 * @throws Error when the file cannot be read, or cannot be written: a later rollback would be lost with the process
 */
export async function openRollbackFile(
  path: string,
  onError: (error: unknown) => void,
  known: readonly Rollback[] | null = null,
): Promise<RollbackFile> {
  const rollbacks = known ?? (await readRollbacks(path))
  const replace = async (next: readonly Rollback[]) => {
    await writeFile(`${path}.next`, `${JSON.stringify({ version: 1, rollbacks: next }, null, 2)}\n`, { flush: true })
    await rename(`${path}.next`, path)
  }
  await replace(rollbacks).catch((error: unknown) => {
    if (known === null) throw error
    onError(error)
  })
  let writing: Promise<void> = Promise.resolve()
  return {
    rollbacks,
    save(next) {
      writing = writing.then(() => replace(next)).catch(onError)
    },
    close: () => writing,
  }
}

/** The rollbacks of a file; none when it is missing. @throws Error when it cannot be read, or holds something else */
export async function readRollbacks(path: string): Promise<Rollback[]> {
  return parse(await readFile(path, 'utf8').catch(ignoreMissing))
}

function parse(text: string | undefined): Rollback[] {
  if (text === undefined) return []
  try {
    return schema.parse(JSON.parse(text)).rollbacks
  } catch (cause) {
    throw new Error('is not a file of rollbacks; remove it to begin without any', { cause })
  }
}

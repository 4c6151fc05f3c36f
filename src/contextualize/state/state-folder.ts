import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { lockFolder } from '../../files/folder-lock.ts'
import { makeFolderSync } from '../../files/make-folder.ts'
import { FormerVectors } from './former-vectors.ts'
import { PendingContexts, readSpending } from './pending-contexts.ts'
import { type Spending, sumOfSpending } from './spending.ts'

/** What a run keeps on the disk: the contexts on their way, the former vectors, and what was spent. */
export interface RunState {
  readonly contexts: PendingContexts
  readonly former: FormerVectors
  /** @param isDone forgets the former vectors, because they are back in the collection */
  close(isDone?: { rolledBack: boolean }): void
}

/** The state of a collection below a folder. */
export const stateFolderOf = (collection: string, folder: string = join('.stowage', 'contextualize')): string =>
  join(folder, encodeURIComponent(collection))

/** The states in it of a server that writes contexts of new points. They are apart, because a server holds them as long as it runs. */
export const onlineFolder = (folder: string, lane: 'rules' | 'model'): string => join(folder, `online-${lane}`)
const onlineFolders = (folder: string): string[] => [onlineFolder(folder, 'rules'), onlineFolder(folder, 'model')]

const CONTEXTS = 'contexts.jsonl'
const FORMER = 'former.jsonl'
const COPY_OF = 'copy-of'

/** Whether the collection of a folder is a copy of another one that stowage made. Only such a collection may lose points to be like its source. */
export interface CopyMark {
  isOf(source: string): boolean
  set(source: string): void
}

export const copyMarkIn = (folder: string): CopyMark => {
  const path = join(folder, COPY_OF)
  return {
    isOf: source => existsSync(path) && readFileSync(path, 'utf8') === source,
    set: source => {
      makeFolderSync(folder)
      writeFileSync(path, source)
    },
  }
}

/** Opens the state of a collection in a folder of its own. @throws Error when another process works with the folder */
export function openState(folder: string, lock: typeof lockFolder): RunState {
  makeFolderSync(folder)
  const unlock = lock(folder)
  try {
    const contexts = new PendingContexts(join(folder, CONTEXTS))
    const former = new FormerVectors(join(folder, FORMER))
    return {
      contexts,
      former,
      close: ({ rolledBack } = { rolledBack: false }) => {
        contexts.close()
        former.close()
        if (rolledBack) rmSync(join(folder, FORMER), { force: true })
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Opens the states in the folder of a collection that servers have written. @throws Error when a server works with them */
export function openOnlineStates(folder: string, lock: typeof lockFolder): RunState[] {
  const opened: RunState[] = []
  try {
    for (const online of onlineFolders(folder).filter(existsSync)) opened.push(openState(online, lock))
    return opened
  } catch (error) {
    for (const state of opened) state.close()
    throw error
  }
}

/** What all runs with a folder spent, and all servers; it can be asked while one of them works. */
export const spendingIn = (folder: string): Spending =>
  [folder, ...onlineFolders(folder)].map(part => readSpending(join(part, CONTEXTS))).reduce(sumOfSpending)

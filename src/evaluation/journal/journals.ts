import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Chunking } from '../../core/types.ts'
import { contentHash } from '../../text/fingerprint.ts'
import { type LockFolder, openFileJournal } from './file-journal.ts'
import type { Journal } from './journal.ts'

/** Interrupted replays that can be resumed. Older ones are forgotten, because nobody will. */
const MOST_JOURNALS = 8

/** Everything that the figures of a replay depend on. A change of any of it begins a new journal. */
export interface ReplayIdentity {
  /** Name and hash of each set. */
  sets: readonly { name: string; hash: string }[]
  /** With their plans, or the URLs of their servers. */
  arms: readonly { name: string }[]
  budgets: readonly number[]
  chunkTokens: number
  /** Absent for chunks by sections. */
  chunking?: Chunking | undefined
  limitQueries: number | null
  /** Whether details are noted. */
  details: boolean
  /** Whether losses are noted; absent for no. */
  explain?: boolean
  /** Versions of the models; null without one. */
  embedder: string | null
  reranker: string | null
  referenceModel: string
  /** Version of the writer of contexts; null when no arm reads chunks with contexts. */
  contexts: string | null
  /** What the tenants of each set may read, and by which plans. */
  tenants: unknown
  /** Version of stowage, and hashes of its sources and of its local models: whoever changes them must not mix figures. */
  stowage: string
}

/**
 * Opens the journal of a replay below a folder, and forgets the oldest of the others.
 * @throws Error when another process makes the same replay
 */
export function openJournal(
  folder: string,
  identity: ReplayIdentity,
  { lock, isFresh }: { lock: LockFolder; isFresh: boolean },
): Journal {
  const name = contentHash(JSON.stringify(identity))
  const journal = openFileJournal(join(folder, name), lock, isFresh)
  for (const old of othersByAge(folder, name).slice(MOST_JOURNALS - 1)) removeUnused(old, lock)
  return journal
}

/** Youngest first. */
function othersByAge(folder: string, name: string): string[] {
  return readdirSync(folder)
    .filter(other => other !== name)
    .map(other => join(folder, other))
    .map(path => ({ path, changed: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((left, right) => right.changed - left.changed)
    .map(({ path }) => path)
}

function removeUnused(folder: string, lock: LockFolder): void {
  try {
    const unlock = lock(folder)
    rmSync(folder, { recursive: true, force: true })
    unlock()
  } catch {
    // Another process works with it, or removes it now.
  }
}

import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../../files/folder-lock.ts'
import { printJson } from '../../qdrant/json.ts'
import { contentHash } from '../../text/fingerprint.ts'
import { openFileJournal } from './file-journal.ts'
import type { Journal } from './journal.ts'

/** Interrupted replays that can be resumed. Older ones are forgotten, because nobody will. */
const MOST_JOURNALS = 8

/**
 * Opens the journal of a replay below a folder, and forgets the oldest of the others.
 * @param identity everything that the figures depend on, as JSON: a change of any of it begins a new journal
 * @param isFresh forgets what an earlier replay left
 * @throws Error when another process makes the same replay
 */
export function openJournal(folder: string, identity: object, isFresh: boolean): Journal {
  const name = contentHash(printJson(identity))
  const journal = openFileJournal(join(folder, name), isFresh)
  for (const old of othersByAge(folder, name).slice(MOST_JOURNALS - 1)) removeUnused(old)
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

function removeUnused(folder: string): void {
  try {
    const unlock = lockFolder(folder)
    rmSync(folder, { recursive: true, force: true })
    unlock()
  } catch {
    // Another process works with it, or removes it now.
  }
}

import { existsSync, mkdirSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, where they are missing. `recursive` of Node tries for ever where a folder is there and says that what is made in it is not, as
 * `/proc` does.
 * @param mode of the folders that are made
 * @throws Error when one of them cannot be made
 */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  if (await isThere(folder)) return
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), mode)
  await mkdir(folder, { mode }).catch(ignoreExisting)
}

/** As `makeFolder`, and waits for the disk. */
export function makeFolderSync(folder: string, mode?: number): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolderSync(dirname(folder), mode)
  try {
    mkdirSync(folder, { mode })
  } catch (error) {
    ignoreExisting(error)
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Another process may have made it since. */
function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
}

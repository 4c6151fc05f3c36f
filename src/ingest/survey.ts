import { readdir } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { badRequest, type StowageError } from '../core/errors.ts'

/** What is below a folder. */
export interface Survey {
  /** The files that match, sorted. */
  files: string[]
  /** The number of the others, by kind. */
  skipped: Record<string, number>
  unreadable: UnreadableFolder[]
}

interface UnreadableFolder {
  folder: string
  /** A code such as `EACCES`. */
  reason: string
}

/**
 * Lists the files below a folder whose names match, sorted; what is hidden and `node_modules` are skipped.
 * @throws StowageError `bad_request` when a folder cannot be read
 */
export async function listFiles(folder: string, pattern: RegExp): Promise<string[]> {
  const { files, unreadable } = await survey(folder, pattern)
  if (unreadable[0]) throw cannotRead(unreadable[0])
  return files
}

/**
 * The files below a folder that match, and what else is there. A folder below it that cannot be read does not end the survey.
 * @throws StowageError `bad_request` when the folder itself cannot be read
 */
export async function survey(root: string, pattern: RegExp): Promise<Survey> {
  const found: Survey = { files: [], skipped: {}, unreadable: [] }
  const skip = (kind: string): void => {
    found.skipped[kind] = (found.skipped[kind] ?? 0) + 1
  }
  const folders = [root]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = await entriesOf(folder)
    if ('reason' in entries) {
      if (folder === root) throw cannotRead(entries)
      found.unreadable.push(entries)
      continue
    }
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (entry.name === 'node_modules') skip('node_modules')
        else if (entry.name.startsWith('.')) skip('hidden folder')
        else folders.push(path)
      } else if (entry.isSymbolicLink()) skip('link')
      else if (!entry.isFile()) skip('special file')
      else if (entry.name.startsWith('.')) skip('hidden file')
      else if (pattern.test(entry.name)) found.files.push(path)
      else skip(extname(entry.name).toLowerCase() || 'without extension')
    }
  }
  found.files.sort()
  return found
}

function entriesOf(folder: string) {
  return readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException): UnreadableFolder => {
    return { folder, reason: error.code ?? error.message }
  })
}

function cannotRead({ folder, reason }: UnreadableFolder): StowageError {
  return badRequest(`cannot read ${folder}: ${reason}`)
}

/** The path of a file below `root`, with `/` between folders and without `.md`. */
export function fileId(root: string, file: string): string {
  return pathBelow(root, file).replace(/\.md$/, '')
}

/** What the ids of the files below a folder begin with. */
export function folderId(root: string, folder: string): string {
  return `${pathBelow(root, folder)}/`
}

function pathBelow(root: string, path: string): string {
  return relative(root, path).split(sep).join('/')
}

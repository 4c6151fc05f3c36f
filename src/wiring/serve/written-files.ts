import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../../config.ts'

/** What is written long after the start, and whose failure costs no answer: the setting, what it names, and what is missing then. */
const WRITTEN = [
  ['TRACE_FILE', 'file', 'traces are not kept there'],
  ['CONTEXT_STATE_FOLDER', 'folder', 'contexts of points cannot be written'],
] as const

/** The settings whose path cannot be written now, one sentence each. */
export async function unwritableFiles({ settings }: Pick<Config, 'settings'>): Promise<string[]> {
  const warnings: string[] = []
  for (const [name, kind, loss] of WRITTEN) {
    const path = settings[name]
    const fault = path === undefined ? null : await writeFault(path, kind)
    if (fault !== null) warnings.push(`${name}=${path}: cannot be written, so ${loss}: ${fault}`)
  }
  return warnings
}

/**
 * Why a file or folder cannot be written, or made together with the folders above it; null when it can. It changes nothing on the
 * disk, so it can look at what another process is using.
 */
export async function writeFault(path: string, kind: 'file' | 'folder'): Promise<string | null> {
  try {
    if ((await stat(path)).isDirectory() !== (kind === 'folder')) return `${path} is not a ${kind}`
    await access(path, kind === 'file' ? constants.W_OK : constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const above = dirname(resolve(path))
    return code === 'ENOENT' && above !== resolve(path) ? writeFault(above, 'folder') : message
  }
}

import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

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

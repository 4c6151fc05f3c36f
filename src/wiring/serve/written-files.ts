import type { Config } from '../../config.ts'
import { writeFault } from '../../files/writable.ts'

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

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder that goes when all tests have ended, so that no test removes it. @param name what its own name begins with */
export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `${name}-`))

/** Has all tests make their temporary files below one folder, which goes when they have ended. */
export default function setUp(): () => void {
  const folder = temporaryFolder('stowage-tests')
  process.env.TMPDIR = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

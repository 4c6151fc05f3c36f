import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderOf } from './programs.ts'

const REQUIREMENTS = fileURLToPath(new URL('../python/requirements.txt', import.meta.url))

type Run = (program: string, line: readonly string[]) => Promise<unknown>

/**
 * A virtual environment with the packages of `requirements.txt`, made once in the cache for each version of that file. stowage itself
 * needs no Python. Rejects when there is no Python, or when it cannot install packages.
 */
export async function findPython(cache: string, run: Run): Promise<{ folder: string }> {
  const version = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12)
  const folder = join(cache, `python-${version}`)
  if (existsSync(folder)) return { folder }
  await mkdir(cache, { recursive: true })
  const half = await mkdtemp(join(cache, 'installing-'))
  try {
    await run('python3', ['-m', 'venv', half])
    await run(pythonIn(half), ['-m', 'pip', 'install', '--quiet', '--no-deps', '--requirement', REQUIREMENTS])
    await rename(half, folder)
    return { folder }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

export const pythonIn = (folder: string) => join(folder, 'bin', 'python')

/** The interpreter of the environment. Only for tests inside of `describeWith('python')`. */
export const pythonProgram = () => pythonIn(folderOf('python'))

import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { run } from './debian.ts'

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/**
 * The packages of a lock file, installed once in the cache for each version of it. Rejects when they cannot be installed.
 * @param manifest a folder with `package.json` and `package-lock.json`
 */
export async function findPackages(manifest: string, cache: string): Promise<{ folder: string }> {
  const lock = readFileSync(join(manifest, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const name = basename(manifest) === 'packages' ? basename(dirname(manifest)) : basename(manifest)
  const folder = join(cache, `${name}-${version}`)
  if (existsSync(folder)) return { folder }
  await mkdir(cache, { recursive: true })
  const half = await mkdtemp(join(cache, 'installing-'))
  try {
    await cp(manifest, half, { recursive: true })
    await run('npm', ['ci', ...QUIET], half)
    await rename(half, folder)
    return { folder }
  } finally {
    await rm(half, { recursive: true, force: true })
  }
}

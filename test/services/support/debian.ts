import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const MOST_MS = 240_000
const MEGABYTE = 1024 * 1024

const execute = promisify(execFile)
export const run = (program: string, line: readonly string[], cwd?: string) =>
  execute(program, line, {
    timeout: MOST_MS,
    maxBuffer: 16 * MEGABYTE,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    ...(cwd && { cwd }),
  })

/** Installs packages without starting their services. @returns null, or why the packages are not installed */
export async function aptInstall(packages: readonly string[]): Promise<string | null> {
  const named = packages.join(', ')
  if (folderOnPath('apt-get') === null) return `${named}: not installed, and there is no apt-get`
  if (process.getuid?.() !== 0) return `${named}: not installed, and only root can install them`
  const install = ['install', '-y', '-q', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=60', ...packages]
  const stays = await forbidServices()
  try {
    await run('apt-get', install).catch(async () => {
      await run('apt-get', ['update', '-q'])
      await run('apt-get', install)
    })
    return null
  } catch (error) {
    return `${named}: ${reasonOf(error)}`
  } finally {
    if (!stays) await rm(POLICY)
  }
}

const POLICY = '/usr/sbin/policy-rc.d'

/** Debian's own way to say that a package must not start its service. @returns whether the machine said so already */
async function forbidServices(): Promise<boolean> {
  if (existsSync(POLICY)) return true
  await writeFile(POLICY, '#!/bin/sh\nexit 101\n')
  await chmod(POLICY, 0o755)
  return false
}

/** The folder of PATH that has the program; null: none has it. */
export function folderOnPath(program: string): string | null {
  const folders = (process.env.PATH ?? '').split(':').filter(folder => folder !== '')
  return folders.find(folder => existsSync(join(folder, program))) ?? null
}

/** The line that names the fault. */
export function reasonOf(error: unknown): string {
  const { stderr = '', message = String(error) } = error as { stderr?: string; message?: string }
  const lines = (stderr.trim() || message).split('\n')
  return lines.find(line => /^(?:npm error|E:|ERROR:)/u.test(line)) ?? lines.at(-1) ?? ''
}

import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { aptInstall, folderOnPath, reasonOf, run } from './debian.ts'
import { findPackages } from './packages.ts'
import { findPython, pythonIn } from './python.ts'

/**
 * Makes the real services available, once before the tests: uses what is there, else installs it. Debian packages need root
 * and apt-get, unleash-server and the frameworks need the package registry, Python needs PyPI. What cannot be had is named with the reason, and its tests are skipped.
 */
export type ServiceName =
  | 'chromium'
  | 'frameworks'
  | 'nginx'
  | 'postgres'
  | 'prometheus'
  | 'python'
  | 'redis'
  | 'systemd'
  | 'unleash'

/** The folder with the programs of a service, or why there is none. */
export type Found = { folder: string } | { missing: string }
export type Programs = Record<ServiceName, Found>

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/stowage-services', import.meta.url))
/** Packages that lie beside stowage's own, so that `npm ci` of stowage stays quick: each of these folders has a lock file. */
const MANIFESTS = { unleash: '../unleash-server', frameworks: '../frameworks/packages' } as const

/** Vitest calls this before the first test file. */
export default async function setup({ provide }: TestProject): Promise<void> {
  // One after the other: apt-get locks itself against a second run.
  const debian = installDebian(['chromium', 'nginx', 'postgres', 'prometheus', 'redis', 'systemd'])
  const missing = (error: unknown): Found => ({ missing: reasonOf(error) })
  const [unleash, frameworks, python, installed] = await Promise.all([
    packagesOf('unleash').catch(missing),
    packagesOf('frameworks').catch(missing),
    findPython(CACHE, run).catch(missing),
    debian,
  ])
  const programs: Programs = { ...installed, frameworks, python, unleash }
  for (const [name, found] of Object.entries(programs))
    console.log(`${name}: ${'folder' in found ? found.folder : `missing, its tests are skipped: ${found.missing}`}`)
  provide('programs', programs)
}

/** The frameworks outside of tests. Rejects when they cannot be installed. */
export async function installFrameworks(): Promise<{ packages: string; python: string }> {
  const [packages, python] = await Promise.all([packagesOf('frameworks'), findPython(CACHE, run)])
  return { packages: packages.folder, python: pythonIn(python.folder) }
}

const packagesOf = (name: keyof typeof MANIFESTS) =>
  findPackages(fileURLToPath(new URL(MANIFESTS[name], import.meta.url)), CACHE)

type DebianService = Exclude<ServiceName, 'frameworks' | 'python' | 'unleash'>
const DEBIAN: Record<DebianService, { packages: string[]; find: () => Promise<string | null> }> = {
  // Without a font the browser draws no letters.
  chromium: { packages: ['chromium', 'fonts-liberation'], find: async () => folderOnPath('chromium') },
  nginx: { packages: ['nginx'], find: async () => folderOnPath('nginx') },
  postgres: { packages: ['postgresql'], find: findPostgres },
  prometheus: { packages: ['prometheus'], find: async () => folderOnPath('prometheus') },
  redis: { packages: ['redis-server'], find: async () => folderOnPath('redis-server') },
  systemd: { packages: ['systemd'], find: async () => folderOnPath('systemd-analyze') },
}

async function installDebian(names: readonly DebianService[]): Promise<Record<DebianService, Found>> {
  const look = async () => {
    const folders = await Promise.all(names.map(async name => [name, await DEBIAN[name].find()] as const))
    return Object.fromEntries(folders) as Record<DebianService, string | null>
  }
  const first = await look()
  const wanted = names.filter(name => first[name] === null).flatMap(name => DEBIAN[name].packages)
  const fault = wanted.length === 0 ? null : await aptInstall(wanted)
  const second = fault === null ? await look() : first
  const found = names.map((name): [DebianService, Found] => {
    const folder = second[name]
    const missing = fault ?? `the package ${DEBIAN[name].packages[0]} has not brought its programs`
    return [name, folder === null ? { missing } : { folder }]
  })
  return Object.fromEntries(found) as Record<DebianService, Found>
}

/** Debian keeps the programs of the server outside of PATH, in a folder per version. */
async function findPostgres(): Promise<string | null> {
  const versions = await readdir('/usr/lib/postgresql').catch(() => [])
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map(version => `/usr/lib/postgresql/${version}/bin`)
  return folders.find(folder => existsSync(join(folder, 'initdb'))) ?? folderOnPath('initdb')
}

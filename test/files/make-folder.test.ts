import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeFolder, makeFolderSync } from '../../src/files/make-folder.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const ways = {
  makeFolder,
  makeFolderSync: async (folder: string, mode?: number) => makeFolderSync(folder, mode),
}

it.each(Object.entries(ways))('%s makes a folder and those above it, with the mode', async (_, make) => {
  const folder = join(temporaryFolder('made'), 'a', 'b')
  await make(folder, 0o700)
  for (const made of [folder, join(folder, '..')]) expect(statSync(made).mode & 0o777).toBe(0o700)
  writeFileSync(join(folder, 'file'), 'kept')
  await make(folder)
  expect(existsSync(join(folder, 'file'))).toBe(true)
})

it.each(Object.entries(ways))('%s may run several times at once', async (_, make) => {
  const folder = join(temporaryFolder('made'), 'a', 'b', 'c')
  await Promise.all(Array.from({ length: 20 }, () => make(folder)))
  expect(statSync(folder).isDirectory()).toBe(true)
})

it.each(Object.entries(ways))('%s fails at once under a link to nothing, and under a file', async (_, make) => {
  const folder = temporaryFolder('made')
  symlinkSync(join(folder, 'unmounted'), join(folder, 'link'))
  await expect(make(join(folder, 'link', 'a'))).rejects.toThrow('ENOENT')
  writeFileSync(join(folder, 'file'), '')
  await expect(make(join(folder, 'file', 'a', 'b'))).rejects.toThrow('ENOTDIR')
})

it.runIf(process.platform === 'linux').each(Object.entries(ways))(
  '%s fails at once where a folder is there and takes no other',
  async (_, make) => {
    await expect(make('/proc/stowage/a')).rejects.toThrow("ENOENT: no such file or directory, mkdir '/proc/stowage'")
  },
)

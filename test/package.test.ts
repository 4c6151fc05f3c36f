import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const read = (name: string) => JSON.parse(readFileSync(fileURLToPath(new URL(`../${name}`, import.meta.url)), 'utf8'))
const manifest = read('package.json')
const lock: { packages: Record<string, { version: string; dev?: boolean; hasInstallScript?: boolean }> } =
  read('package-lock.json')

/** What `npm pack` makes of all this is checked by `npm run test:package`, which takes minutes. */

test('`npm ci` in a clone runs no install script: one of them downloads from outside the registry', () => {
  // npm runs the script of a locked package only when the lock file says that there is one. Remove a flag that
  // `npm install` added, and name its package under `allowScripts`, which newer versions of npm read.
  expect(Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
  expect(Object.values(manifest.allowScripts).every(allowed => allowed === false)).toBe(true)
})

test('the package that the tarball bundles is the only one, and a dependency', () => {
  expect(manifest.bundleDependencies).toEqual(['@xenova/transformers'])
  expect(Object.keys(manifest.dependencies)).toEqual(expect.arrayContaining(manifest.bundleDependencies))
  expect(manifest.scripts.prepack).toMatch(/npm run build && tsx packaging\/slim-models\.ts put$/u)
  expect(manifest.scripts.postpack).toBe('tsx packaging/slim-models.ts restore')
})

test('a program can import the built entry, the client, and nothing else', () => {
  expect(manifest.exports).toEqual({
    '.': { types: './dist/index.d.ts', default: './dist/index.js' },
    './client': { types: './dist/client/index.d.ts', default: './dist/client/index.js' },
    './package.json': './package.json',
  })
})

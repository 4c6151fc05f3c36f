import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readPages } from './docs/support/pages.ts'

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

test('the package holds what its pages link to, apart from what is for developers', () => {
  const packed: string[] = manifest.files
  const holds = (path: string) =>
    packed.some(one => path === one || path.startsWith(`${one}/`)) || /^(?:docs\/[^/]+|README)\.md$/u.test(path)
  const forDevelopers = /^test\b|^(?:ARCHITECTURE|CONTRIBUTING)\.md$/u
  const pages = readPages().filter(({ path }) => path === 'README.md' || path.startsWith('docs/'))
  const linked = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/gu)].map(([, to = '']) =>
      posix.join(posix.dirname(path), to),
    ),
  )
  expect(linked.filter(path => !holds(path) && !forDevelopers.test(path))).toEqual([])
  expect(packed).toContain('docs/*.md')
  // The runbooks are of no use without the rules and the dashboards.
  expect(packed).toContain('grafana')
})

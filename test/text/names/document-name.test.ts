import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesInPath } from '../../../src/text/names/document-name.ts'

/** What a path says beside a title. */
const nameInPath = (title: string, source: string) => namesInPath(title, source).docName ?? null

describe('a document without a title', () => {
  it.each([
    ['gate-regulation-316', 'gate regulation 316'],
    ['/data/docs/Gate_Regulation 316.md', 'Gate Regulation 316'],
    ['C:\\Users\\Ada\\Non-Disclosure Agreement (Axial).docx', 'Non Disclosure Agreement (Axial)', 'Ada'],
    ['https://example.org/docs/setup/index.html', 'setup'],
    ['https://example.org/docs/build-with-claude/?utm=1#top', 'build with claude'],
    ['https://example.org/', 'example'],
    ['packages/engine/README.md', 'engine'],
    ['README.md', 'README'],
    ['contracts/NDA%20by%20Axial.txt', 'NDA by Axial', 'contracts'],
    ['100%-cotton.md', '100% cotton'],
    ['契約書_2024.pdf', '契約書 2024'],
    ['python3.11-tutorial', 'python3.11 tutorial'],
    ['photon/1234.html', 'photon'],
    ['doc-7', 'doc 7'],
    ['products/photon/v2/setup.md', 'setup', 'products photon version 2, v2'],
    ['release-notes/v2.1.md', 'release notes', 'version 2.1, v2.1'],
    ['setup/setup.md', 'setup'],
  ])('%s is called "%s"', (source, pageName, docName?: string) =>
    expect(namesInPath('', source)).toEqual({ pageName, ...(docName && { docName }) }),
  )

  it('can have a version or a year alone', () => expect(namesInPath('', '2024.pdf')).toEqual({ docName: '2024' }))

  it.each([
    '',
    ' / ',
    '42',
    '7f3c0f9e-5d2c-4f6e-9a55-0d8d6f1c2b3a',
    'd41d8cd98f00b204e9800998ecf8427e',
    '/data/d41d8cd98f00b204e9800998ecf8427e.pdf',
    'docs/index.md',
    '../../..',
    'a-1-b-2',
  ])('%j says nothing', source => expect(namesInPath('', source)).toEqual({}))
})

it.each([
  ['Agreement', 'contracts/nda-axial.pdf', 'contracts nda axial'],
  ['Agreement', 'Standard%20NDA%20by%20Axial.txt', 'Standard NDA by Axial'],
  ['Minutes', 'minutes-2023-05.md', 'minutes 2023 05'],
  ['Rule of the Bell Clerks', 'bell-clerks-rule.md', null],
  ['Agreement', 'doc-7', null],
  ['Agreement', 'page_12.html', null],
  ['Agreement', '018f4a5e-7c1b-7f00-8000-000000000001', null],
  ['Agreement', 'agreement-3', null],
  ['Overview', 'products/photon/overview.md', 'products photon'],
  ['Overview', 'photon/docs/html/overview.md', 'photon'],
  ['Overview', 'one/two/three/overview.md', 'two three'],
  ['Photon overview', 'photon/overview.md', null],
  ['Setup', 'photon/photon-setup/setup.md', 'photon setup'],
  ['Photon', 'photon/v2/README.md', 'version 2, v2'],
])('beside the title %j, %s says %j', (title, source, name) => {
  expect(nameInPath(title, source)).toBe(name)
})

describe('versions and years', () => {
  it.each([
    ['docs/v2/setup.md', 'version 2, v2'],
    ['docs/2.0/setup.md', 'version 2.0, v2.0'],
    ['versioned_docs/version-1.4.x/guides/setup.md', 'version 1.4.x, v1.4.x guides'],
    ['release_2.1/one/two/three/setup.md', 'version 2.1, v2.1 two three'],
    ['reports/2024/setup.md', 'reports 2024'],
    ['changes/2.1.html', 'changes version 2.1, v2.1'],
    ['2024.pdf', '2024'],
    ['api/3/setup.md', 'api'],
    ['12345.6/setup.md', null],
  ])('of %s are "%s"', (source, name) => expect(nameInPath('Setup', source)).toBe(name))

  it('are left out where the title has them', () => {
    expect(nameInPath('Setup of 2.0', 'v2.0/setup.md')).toBeNull()
    expect(nameInPath('Setup (v2.0)', '2.0/setup.md')).toBeNull()
    expect(nameInPath('Changes of version 3', 'v2/changes.md')).toBe('version 2, v2')
    expect(nameInPath('Report 2024', '2024/report.md')).toBeNull()
    expect(nameInPath('Report 2024', '2023/report.md')).toBe('2023')
  })
})

it('is short and in one line, whatever the title and the path are', () => {
  const signs = fc.constantFrom(...'abév契-_/\\%2F0A.?#\n\t 1', '\u2028', '\ud800')
  const texts = fc.string({ unit: signs, maxLength: 40 })
  fc.assert(
    fc.property(texts, texts, (title, source) => {
      for (const name of Object.values(namesInPath(title, source))) {
        expect(name).not.toMatch(/[\n\r\t\u2028/\\]/u)
        expect(name.trim()).toBe(name)
        expect(name).not.toBe('')
      }
    }),
  )
  expect(namesInPath('', 'gate '.repeat(20_000)).pageName?.length).toBeLessThanOrEqual(500)
  expect(namesInPath('', '1.'.repeat(50_000))).toEqual({})
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentNameBeside, documentNameIn } from '../../../src/qdrant/payload/document-name.ts'

describe('the name in the id, the path or the address of a document', () => {
  it.each([
    ['gate-regulation-316', 'gate regulation 316'],
    ['/data/docs/Gate_Regulation 316.md', 'Gate Regulation 316'],
    ['C:\\Users\\Ada\\Non-Disclosure Agreement (Axial).docx', 'Non Disclosure Agreement (Axial)'],
    ['https://example.org/docs/setup/index.html', 'setup'],
    ['https://example.org/docs/build-with-claude/?utm=1#top', 'build with claude'],
    ['packages/engine/README.md', 'engine'],
    ['README.md', 'README'],
    ['contracts/NDA%20by%20Axial.txt', 'NDA by Axial'],
    ['100%-cotton.md', '100% cotton'],
    ['契約書_2024.pdf', '契約書 2024'],
    ['python3.11-tutorial', 'python3 11 tutorial'],
  ])('of %s is "%s"', (source, name) => expect(documentNameIn(source)).toBe(name))

  it.each([
    '',
    ' / ',
    '42',
    '7f3c0f9e-5d2c-4f6e-9a55-0d8d6f1c2b3a',
    'd41d8cd98f00b204e9800998ecf8427e',
    '/store/d41d8cd98f00b204e9800998ecf8427e.pdf',
    '../../..',
    'a-1-b-2',
  ])('is not in %j', source => expect(documentNameIn(source)).toBeNull())

  it('is short and in one line, whatever the source is', () => {
    const signs = fc.constantFrom(...'abé契-_/\\%2F0A.?#\n\t 1', '\u2028', '\ud800')
    fc.assert(
      fc.property(fc.string({ unit: signs, maxLength: 40 }), source => {
        const name = documentNameIn(source)
        if (name === null) return
        expect(name).not.toMatch(/[\n\r\t\u2028/\\]/u)
        expect(name.trim()).toBe(name)
        expect(name).not.toBe('')
      }),
    )
    expect(documentNameIn('gate '.repeat(20_000))?.length).toBeLessThanOrEqual(500)
  })
})

it.each([
  ['Agreement', 'contracts/nda-axial.pdf', 'nda axial'],
  ['Agreement', 'Standard%20NDA%20by%20Axial.txt', 'Standard NDA by Axial'],
  ['Minutes', 'minutes-2023-05.md', 'minutes 2023 05'],
  ['Rule of the Bell Clerks', 'bell-clerks-rule.md', null],
  ['Agreement', 'doc-7', null],
  ['Agreement', 'page_12.html', null],
  ['Agreement', '018f4a5e-7c1b-7f00-8000-000000000001', null],
  ['Agreement', 'agreement-3', null],
])('beside the title %j, %s says %j', (title, source, name) => {
  expect(documentNameBeside(title, source)).toBe(name)
})

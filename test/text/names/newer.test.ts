import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { namesInPath } from '../../../src/text/names/document-name.ts'
import { isNewer, namesTimeOf } from '../../../src/text/names/newer.ts'

/** Names of a document as ingest stores them. */
const at = (source: string, docTitle = 'Setup') => ({ docTitle, ...namesInPath(docTitle, source) })

describe('isNewer', () => {
  it.each([
    ['docs/v5/setup.md', 'docs/v4/setup.md'],
    ['docs/v10/setup.md', 'docs/v9/setup.md'],
    ['docs/4.10/setup.md', 'docs/4.9/setup.md'],
    ['docs/4.1/setup.md', 'docs/4/setup.md'.replace('/4/', '/v4/')],
    ['docs/release-2.1/setup.md', 'docs/release-2.0.9/setup.md'],
    ['reports/2024/setup.md', 'reports/2023/setup.md'],
    ['reports/2023/v2/setup.md', 'reports/2023/v1/setup.md'],
    ['docs/v4.1/2021/setup.md', 'docs/v4/2020/setup.md'],
    ['docs/v4.28.1/2019/setup.md', 'docs/v4.28/2020/setup.md'],
  ])('%s is newer than %s', (newer, older) => {
    expect(isNewer(at(newer), at(older))).toBe(true)
    expect(isNewer(at(older), at(newer))).toBe(false)
  })

  it.each([
    ['the same version', 'a/v2/setup.md', 'b/v2/setup.md'],
    ['other folders', 'photon/v2/setup.md', 'axial/v1/setup.md'],
    ['no version', 'docs/setup.md', 'docs/v1/setup.md'],
    ['a version that is no number', 'docs/1.x/setup.md', 'docs/1.4/setup.md'],
    ['a version in the place of a year', 'docs/v3/setup.md', 'docs/2024/setup.md'],
    ['a version and a year', 'docs/v3/setup.md', 'docs/2024/v1/setup.md'],
  ])('is false for %s', (_, one, other) => {
    expect(isNewer(at(one), at(other))).toBe(false)
    expect(isNewer(at(other), at(one))).toBe(false)
  })

  it('is false for other titles', () => {
    expect(isNewer(at('docs/v5/setup.md', 'Setup'), at('docs/v4/setup.md', 'Keys'))).toBe(false)
  })

  it('compares documents without a title by the names of their files', () => {
    expect(isNewer(at('docs/v5/keys.md', ''), at('docs/v4/keys.md', ''))).toBe(true)
    expect(isNewer(at('docs/v5/keys.md', ''), at('docs/v4/locks.md', ''))).toBe(false)
  })

  it('is an order: never both ways, and the newest of some is as new as all others', () => {
    const version = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 2, maxLength: 3 })
    fc.assert(
      fc.property(fc.array(version, { minLength: 2, maxLength: 6 }), versions => {
        const documents = versions.map(numbers => at(`docs/${numbers.join('.')}/setup.md`))
        const newest = documents.reduce((first, one) => (isNewer(one, first) ? one : first))
        for (const one of documents) {
          expect(isNewer(one, newest)).toBe(false)
          for (const other of documents) expect(isNewer(one, other) && isNewer(other, one)).toBe(false)
        }
      }),
    )
  })
})

describe('namesTimeOf', () => {
  const v4 = at('docs/4.28/setup.md')

  it.each(['setup in Fastify 4', 'setup in v4?', 'Setup (4.28)', 'version 4: setup'])('%j names 4.28', question =>
    expect(namesTimeOf(question, v4)).toBe(true),
  )

  it.each(['How is Fastify 4 set up?', 'What did version 4 bring?', '4.28 setup of keys'])('%j names 4.28', question =>
    expect(namesTimeOf(question, v4)).toBe(true),
  )

  it('a number that counts things names no version', () => {
    for (const question of ['What are the 4 steps of setup?', 'setup within 4 minutes of start'])
      expect(namesTimeOf(question, v4)).toBe(false)
  })

  it.each(['setup', 'setup in 5', 'setup of 4.2', 'setup of 14', 'IPv4 setup', 'listen on 0.0.4', '4.28.1'])(
    '%j does not name 4.28',
    question => expect(namesTimeOf(question, v4)).toBe(false),
  )

  it('reads the start of a long question, as the other rules do', () => {
    expect(namesTimeOf(`setup in 4, ${'of ships '.repeat(200)}`, v4)).toBe(true)
    expect(namesTimeOf(`setup ${'of ships '.repeat(200)} in 4`, v4)).toBe(false)
  })

  it('a year is named as a whole', () => {
    expect(namesTimeOf('revenue in 2023', at('reports/2023/setup.md'))).toBe(true)
    expect(namesTimeOf('revenue in 20', at('reports/2023/setup.md'))).toBe(false)
  })
})

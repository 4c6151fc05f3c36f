import { expect, it } from 'vitest'
import { FRONT_MATTER } from '../../src/ingest/chunking/masking.ts'
import { readSections } from '../../src/ingest/chunking/sections.ts'

it.each([
  ['---', '\n'],
  ['---', '\r\n'],
  ['+++', '\n'],
])('between %s with line ends %j is read alike, by the title and by the sections', (fence, end) => {
  const text = [fence, 'title: A', '# no heading', `${fence} `, '# B', ''].join(end)
  const [whole, , content] = FRONT_MATTER.exec(text) ?? []
  expect(content).toBe(['title: A', '# no heading'].join(end))
  expect(whole).toBe(text.slice(0, text.indexOf('# B')))
  expect(readSections(text).map(({ path }) => path)).toEqual(['', 'B'])
})

it.each(['a\n---\nb\n---\n', '---\nb', '----\nb\n---\n', '---\nb\n+++\n'])('is none in %j', text => {
  expect(FRONT_MATTER.test(text)).toBe(false)
})

import { expect, it } from 'vitest'
import { FRONT_MATTER } from '../../src/ingest/chunking/masking.ts'
import { readSections } from '../../src/ingest/chunking/sections.ts'
import { readFrontMatter } from '../../src/ingest/markup/front-matter.ts'

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

it('ends with three full stops, too', () => {
  const text = '---\ntitle: Boiler\n...\n\n# Safety\n\nNever open it.\n\n---\n\n# Appendix\n'
  expect(readFrontMatter(text)).toMatchObject({ title: 'Boiler', fault: null, length: text.indexOf('\n# Safety') })
})

it('is cut off where it is broken, but a note between two rules is not', () => {
  const broken = '---\ntitle: A: b\ntags:\n  - c\n---\nText'
  expect(readFrontMatter(broken)).toMatchObject({ length: broken.indexOf('Text') })
  const note = '---\nWarning: do not use 3.2: it deletes backups.\nUse 3.3 instead.\n---\nText'
  expect(readFrontMatter(note)).toMatchObject({ fault: null, length: 0 })
})

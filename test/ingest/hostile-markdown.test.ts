import { afterEach, describe, expect, it } from 'vitest'
import { readSections } from '../../src/ingest/chunking/sections.ts'

/** Text of about `size` characters that repeats one thing, or nests it. */
const HOSTILE: Record<string, (size: number) => string> = {
  'nested lists': size => nested(size, '- '),
  'nested numbers': size => nested(size, '1. '),
  'nested lists with paragraphs': size => nested(size, '- ', '\n\n'),
  'nested quotes': size => triangle(size, level => `${'> '.repeat(level)}x`),
  'nested lists in a quote': size => triangle(size, level => `> ${'  '.repeat(level)}- x`),
  'quotes and lists in turn, on one line': size => '> - 1. '.repeat(size / 7),
  'lists of the greatest depth, again and again': size =>
    repeat(Array.from({ length: 14 }, (_, level) => `${'  '.repeat(level)}- x\n`).join(''), size),
  'lines that lazily continue a quote': size => `> a\n${repeat('a\n', size)}`,
  'lines that lazily continue a deep quote': size => `${'> '.repeat(15)}a\n${repeat('a\n', size)}`,
  'open brackets': size => '['.repeat(size),
  stars: size => '*'.repeat(size),
  'quote marks': size => '>'.repeat(size),
  backticks: size => '`'.repeat(size),
  'backticks in lines': size => repeat('`\n', size),
  'opened fences': size => repeat('```\n', size),
  'opened fences in items': size => repeat('- ```\n', size),
  'tags that never close': size => repeat('<div>\n', size),
  'comments that never close': size => repeat('<!--\n', size),
  'comments in one line': size => repeat('<!-- ', size),
  'scripts that never close': size => repeat('<script>\n', size),
  'a table of many columns': size => ['|a', '|-', '|x', '|y'].map(cell => repeat(cell, size / 4)).join('\n'),
  'a table of many rows': size => `|a|b|\n|-|-|\n${repeat('|x|y|\n', size)}`,
  'a wide table with short rows': size =>
    `${repeat('|a', size / 3)}\n${repeat('|-', size / 3)}\n${repeat('|\n', size / 3)}`,
  'pipes in lines': size => repeat('|\n', size),
  'underlined headings': size => repeat('a\n=\n', size),
  'numbered headings': size => repeat('1. a\n===\n', size),
  'numbers below rules': size => repeat('===\n1. a\n', size),
  'headings of nothing': size => repeat('#\n', size),
  'link definitions': size => repeat('[a]: b\n', size),
  'open link definitions': size => repeat('[a]: <b\n', size),
  'a heading of marks': size => `# ${repeat('*_`[', size)}`,
  'front matter that never closes': size => `---\n${repeat('a: b\n', size)}`,
  'rules without end': size => repeat('---\n', size),
  'deep indentation': size => repeat(`${' '.repeat(70)}- x\n`, size),
  'blank lines': size => '\n'.repeat(size),
  'carriage returns': size => repeat('a\r', size),
}

function repeat(text: string, size: number): string {
  return text.repeat(Math.ceil(size / text.length))
}

function nested(size: number, mark: string, gap = '\n'): string {
  return triangle(size, level => `${' '.repeat(mark.length * level)}${mark}x`, gap)
}

/** Lines that grow until the text has the size. */
function triangle(size: number, line: (level: number) => string, gap = '\n'): string {
  const lines: string[] = []
  for (let length = 0; length < size; length += line(lines.length - 1).length + gap.length)
    lines.push(line(lines.length))
  return lines.join(gap)
}

const { charCodeAt } = String.prototype
afterEach(() => {
  String.prototype.charCodeAt = charCodeAt
})

/** How many characters the parser looks at. */
function charactersRead(text: string): number {
  let count = 0
  String.prototype.charCodeAt = function (index) {
    count += 1
    return charCodeAt.call(this, index)
  }
  readSections(text)
  String.prototype.charCodeAt = charCodeAt
  return count
}

describe('readSections, on hostile markdown', () => {
  it.each(Object.keys(HOSTILE))('reads %s in time that grows with the length', name => {
    const make = HOSTILE[name] as (size: number) => string
    const small = make(20_000)
    const large = make(80_000)
    const work = charactersRead(small)
    expect(work).toBeGreaterThan(small.length / 2)
    expect(charactersRead(large) / work).toBeLessThan((1.5 * large.length) / small.length)
    expect(work / small.length).toBeLessThan(150)
  })

  it('still finds the heading after 800 levels of lists or quotes', () => {
    for (const deep of [
      Array.from({ length: 800 }, (_, level) => `${'  '.repeat(level)}- x`).join('\n'),
      '>'.repeat(800),
      '- '.repeat(800),
    ]) {
      const sections = readSections(`# A\n\n${deep}\n\n# B\n\ntext\n`)
      expect(sections.map(({ path }) => path)).toEqual(['A', 'B'])
      expect(sections[1]?.blocks).toHaveLength(1)
    }
  })

  it('reads ordinary nesting as a list: 12 levels', () => {
    const list = Array.from({ length: 12 }, (_, level) => `${'    '.repeat(level)}1.  x`).join('\n')
    const [section] = readSections(`${list}\n\n    code of the first item\n`)
    expect(section?.blocks).toMatchObject([{ kind: 'atomic', start: 0, parts: [{ start: 0 }] }])
  })
})

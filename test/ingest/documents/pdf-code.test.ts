import { describe, expect, it } from 'vitest'
import { toBlocks } from '../../../src/ingest/documents/pdf/blocks.ts'
import type { Line, Tag } from '../../../src/ingest/documents/pdf/page-text.ts'
import { type PagedText, toMarkdown } from '../../../src/ingest/documents/pdf/to-markdown.ts'
import { pageAt } from './support/pdf-lines.ts'

/** 100 letters, so that it ends at 550, at the right edge of the column. */
const FULL = `The keeper of the lamps writes down each ship${' that passes'.repeat(3)}, and then he reads`
const PROSE = 'The lamps are lit at dusk.'
const tag = (block: number): Tag => ({ block, headingLevel: 0, item: null, cell: null })

interface Drawn {
  text: string
  x?: number
  y: number
  page?: number
  isMonospaced?: boolean
  block?: number
}

const read = (drawn: readonly Drawn[]): string => readPages(drawn).text.trim()

function readPages(drawn: readonly Drawn[]): PagedText {
  const lines = drawn.map(({ text, x = 50, y, page = 0, isMonospaced = false, block }): Line => {
    const [line] = pageAt(page, [y, [x, text]]) as [Line]
    return { ...line, isMonospaced, tag: block === undefined ? null : tag(block) }
  })
  return toMarkdown(toBlocks(lines, { found: new Map(), source: 'unknown' }), 3)
}

describe('a monospaced line in a PDF', () => {
  it('goes on with the line of text above that reaches the right edge', () => {
    expect(FULL).toHaveLength(100)
    expect(
      read([
        { text: FULL, y: 100 },
        { text: 'ships.txt', y: 112, isMonospaced: true },
        { text: PROSE, y: 140 },
      ]),
    ).toBe(`${FULL} ships.txt\n\n${PROSE}`)
  })

  it('goes on with it over a page break', () => {
    const lines = [
      { text: FULL, y: 700 },
      { text: 'ships.txt', y: 60, page: 1, isMonospaced: true },
      { text: PROSE, y: 100, page: 1 },
    ]
    expect(read(lines)).toBe(`${FULL} ships.txt\n\n${PROSE}`)
  })

  it('goes on with it in the same block, as tags name it', () => {
    const lines = (block: number) => [
      { text: FULL.slice(0, 97), y: 100, block: 1 },
      { text: 'ships.txt', y: 112, isMonospaced: true, block },
      { text: PROSE, y: 140, block: 3 },
    ]
    expect(read(lines(1))).toBe(`${FULL.slice(0, 97)} ships.txt\n\n${PROSE}`)
    expect(read(lines(2))).toContain('```\nships.txt\n```')
  })

  it.each<[string, Drawn, Partial<Drawn>]>([
    ['below a line with room at its end', { text: FULL.slice(0, 60), y: 100 }, {}],
    ['below the end of a sentence', { text: `${FULL.slice(0, 99)}:`, y: 100 }, {}],
    ['farther below', { text: FULL, y: 100 }, { y: 136 }],
    ['deeper than the text', { text: FULL, y: 100 }, { x: 70 }],
  ])('is code %s', (_, above, own) => {
    const code = { text: 'ships --list', y: 112, isMonospaced: true, ...own }
    expect(read([above, code, { text: PROSE, y: 160 }])).toBe(
      `${above.text}\n\n\`\`\`\nships --list\n\`\`\`\n\n${PROSE}`,
    )
  })
})

describe('code in a PDF that goes over page breaks', () => {
  const code = (text: string, page: number, x = 50): Drawn => ({ text, x, y: 100, page, isMonospaced: true })

  it('is one block, and each line belongs to its page', () => {
    const { text, pages } = readPages([
      code('for ship in ships:', 0),
      code('light(ship)', 1, 70),
      code('sleep()', 2),
      { text: PROSE, y: 140, page: 2 },
    ])
    expect(text).toBe(`\`\`\`\nfor ship in ships:\n    light(ship)\nsleep()\n\`\`\`\n\n${PROSE}\n`)
    expect(pages.map(start => text.slice(start).split('\n', 1)[0])).toEqual(['```', '    light(ship)', 'sleep()'])
  })

  it('is two blocks with text between', () => {
    expect(read([code('ls', 0), { text: PROSE, y: 60, page: 1 }, code('cd', 1)])).toBe(
      `\`\`\`\nls\n\`\`\`\n\n${PROSE}\n\n\`\`\`\ncd\n\`\`\``,
    )
  })
})

describe('code in a PDF', () => {
  const code = (...lines: [y: number, text: string, page?: number][]) =>
    read([
      { text: PROSE, y: 50 },
      { text: PROSE, y: 70 },
      { text: PROSE, y: 90 },
      ...lines.map(([y, text, page = 0]) => ({ y, text, page, isMonospaced: true })),
    ]).replace(/^[\s\S]*?```/u, '```')

  it('keeps its blank lines, at most one', () => {
    const lines = code([120, 'light()'], [132, 'wait()'], [156, 'ring()'], [168, 'wait()'], [210, 'rest()'])
    expect(lines).toBe('```\nlight()\nwait()\n\nring()\nwait()\n\nrest()\n```')
  })

  it('keeps one between two lines alone', () => {
    expect(code([120, 'light()'], [146, 'ring()'])).toBe('```\nlight()\n\nring()\n```')
    expect(code([120, 'light()'], [134, 'ring()'])).toBe('```\nlight()\nring()\n```')
  })

  it('has none because of a mark that stands a little above its line', () => {
    expect(code([120, 'light()'], [127, 'a'], [132, 'ring()'], [144, 'rest()'])).not.toContain('\n\n')
  })

  it('has none at a page break', () => {
    expect(code([700, 'light()'], [60, 'ring()', 1], [72, 'rest()', 1])).toBe('```\nlight()\nring()\nrest()\n```')
  })
})

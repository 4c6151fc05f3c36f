import { describe, expect, it } from 'vitest'
import { chunkMarkdown, type DocumentChunk } from '../../src/ingest/chunking/chunk-markdown.ts'
import { joinParted } from '../../src/ingest/markup/parted-words.ts'

/** Words and punctuation marks. */
const count = (text: string): number => text.match(/\w+|[^\w\s]/gu)?.length ?? 0

function chunk(text: string, targetTokens = 60, isPlain = true): DocumentChunk[] {
  return chunkMarkdown({ text, isPlain }, { targetTokens, count })
}

describe('chunkMarkdown, indented text that is no Markdown', () => {
  const paragraph = (name: string): string =>
    [
      `       The ${name} lock lifts a boat when the lower gate is shut and the`,
      '       upper paddles are open.  It needs eight minutes in summer, and',
      '       about ten in winter.',
    ].join('\n')
  const manual = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth'].map(paragraph).join('\n\n')

  it('is cut at sentences', () => {
    const chunks = chunk(manual)
    expect(chunks.length).toBeGreaterThan(2)
    for (const { text } of chunks) expect(text).toMatch(/^ *(?:The|It) [\s\S]*\.$/)
  })

  it('keeps the indentation of its first line', () => {
    expect(chunk('Start it:\n\nIt says\n\n     open:\n       gate')[0]?.text).toMatch(/\n {5}open:\n {7}gate$/)
    expect(chunk('    open:\n      gate')[0]?.text).toBe('    open:\n      gate')
  })

  it('is code in text that marks its headings as Markdown does', () => {
    const lines = Array.from({ length: 40 }, (_, at) => `    valve.open(${at})`)
    const chunks = chunk(`# Valves\n\nOpen all.\n\n${lines.join('\n')}\n\n# Help\n\nAsk.\n`, 100)
    expect(chunks.map(({ text }) => /valve/.test(text)).filter(Boolean)).toHaveLength(1)
  })
})

describe('joinParted', () => {
  it.each([
    ['     the ropes of a har‐\n     bour are tarred\n', '     the ropes of a harbour\n     are tarred\n'],
    ['the har‐\n\tbour.\n\nNext', 'the harbour.\n\nNext'],
    ['eine Flut‐\nmessung', 'eine Flutmessung\n'],
    ['tide ta‐\nbles‐\nlike', 'tide tableslike\n'],
  ])('makes the word whole in %j', (text, joined) => {
    expect(joinParted(text).trimEnd()).toBe(joined.trimEnd())
  })

  it.each(['port‐side rope', 'on the port‐\n\n     side', 'from 3‐\n5 metres', 'port-\nside', '‐\nitem'])(
    'leaves %j as it is',
    text => expect(joinParted(text)).toBe(text),
  )
})

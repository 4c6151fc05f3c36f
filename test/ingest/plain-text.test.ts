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

describe('chunkMarkdown, entries in indented text that is no Markdown', () => {
  const words = (n: number, tag: string): string =>
    Array.from({ length: n }, (_, at) => (at % 10 === 9 ? `${tag}.` : tag)).join(' ')
  const names = Array.from({ length: 12 }, (_, at) => `rope_${String.fromCharCode(97 + at)}`)
  const chunkOf = (text: string, word: string): string[] =>
    chunk(text)
      .map(entry => entry.text)
      .filter(entry => new RegExp(`\\b${word}\\b`).test(entry))

  it.each([
    ['options', names.map((name, at) => `     -${name}\n\t     ${words(15 + (at % 3) * 10, name)}`).join('\n\n')],
    [
      'options with a text beside them',
      names.map(name => `  ${name}   ${words(10, name)}\n         ${words(20, name)}`).join('\n'),
    ],
    [
      'terms over a blank line',
      names.map(name => `\`\`${name}\`\`\n\n  ${words(20, name)}\n\n  Default: ${name}`).join('\n\n'),
    ],
    [
      'questions',
      names.map(name => `Why does ${name} hold?\n\n\t${words(15, name)}\n\n\t${words(20, name)}`).join('\n\n'),
    ],
    [
      'directives',
      names.map(name => `.. rope:: ${name}.\n\n   ${words(10, name)}\n\n   - ${words(20, name)}`).join('\n\n'),
    ],
    [
      'entries with entries',
      names.map(name => `${name}\n    ${words(10, name)}\n\n    inside\n        ${words(10, name)}`).join('\n'),
    ],
    [
      'entries below a heading',
      `Ropes\n=====\n\n${names.map(name => `${name}:\n\n    ${words(30, name)}`).join('\n\n')}`,
    ],
  ])('keeps %s whole, and repeats no end of another', (_, text) => {
    for (const name of names) expect(chunkOf(text, name)).toHaveLength(1)
  })

  it('cuts an entry that is too long, with its term before its text', () => {
    const inner = names.map(name => `    ${name}\n        ${words(20, name)}`).join('\n\n')
    const chunks = chunk(`All ropes\n\n    Ropes of the bow\n\n${inner}`)
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks[0]?.text).toMatch(/^All ropes\s+Ropes of the bow\s+rope_a\s+rope_a rope_a/)
    for (const { tokens } of chunks) expect(tokens).toBeLessThanOrEqual(1.4 * 60)
    for (const name of names) expect(chunkOf(inner, name)).toHaveLength(1)
  })

  it('cuts paragraphs, and what a sentence does not announce, as before', () => {
    const text = `A rope holds a ship.\n\n    ${words(70, 'bow')}\n\nA lamp shines.\n\n    ${words(70, 'lamp')}`
    expect(chunk(text).length).toBeGreaterThan(2)
  })

  it.each([
    ['deeper and deeper lines', Array.from({ length: 440 }, (_, at) => `${' '.repeat(at)}x`).join('\n')],
    ['terms', 'x\n\n y\n\n'.repeat(14_000)],
    ['lines in one entry', `x\n${' y\n'.repeat(33_000)}`],
    ['spaces', `x\n\n${' '.repeat(100_000)}y`],
    ['one line', `x\n  ${'Rope. '.repeat(16_000)}`],
  ])('loses nothing of 100 kB of %s', (_, text) => {
    const chunks = chunk(text)
    const covered = chunks.reduce((end, { charStart, charEnd }) => {
      expect(text.slice(end, Math.max(end, charStart)).trim()).toBe('')
      return charEnd
    }, 0)
    expect(text.slice(covered).trim()).toBe('')
  })
})

describe('joinParted', () => {
  it.each([
    ['     the ropes of a har‐\n     bour are tarred\n', '     the ropes of a harbour\n     are tarred\n'],
    ['the har‐\n\tbour.\n\nNext', 'the harbour.\n\nNext'],
    ['eine Flut‐\nmessung', 'eine Flutmessung'],
    ['tide ta‐\nbles‐\nlike', 'tide tableslike'],
  ])('makes the word whole in %j', (text, joined) => {
    expect(joinParted(text)).toBe(joined)
  })

  it.each(['port‐side rope', 'on the port‐\n\n     side', 'from 3‐\n5 metres', 'port-\nside', '‐\nitem'])(
    'leaves %j as it is',
    text => expect(joinParted(text)).toBe(text),
  )
})

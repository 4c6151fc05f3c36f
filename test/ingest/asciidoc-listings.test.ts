import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSections } from '../../src/ingest/chunking/sections.ts'
import { fencedListings } from '../../src/ingest/markup/code-blocks/asciidoc.ts'

const pathsOf = (text: string): string[] => readSections(text, true).map(({ path }) => path)

describe('code blocks of AsciiDoc in a .txt file', () => {
  it('can have hundreds of thousands of lines', () => {
    const code = 'wait()\n'.repeat(300_000)
    expect(fencedListings(`Gates\n-----\nTo open:\n\n------------\n${code}------------\n`)).toBe(
      `Gates\n-----\nTo open:\n\n\`\`\`\n${code}\`\`\`\n`,
    )
  })

  it('stand in fences, so that their last line is no title', () => {
    const text = 'Gates\n-----\nTo open:\n\n------------\nopen()\n\nwait()\n------------\n\nThen wait.\n'
    expect(fencedListings(text)).toBe('Gates\n-----\nTo open:\n\n```\nopen()\n\nwait()\n```\n\nThen wait.\n')
    expect(pathsOf(fencedListings(text))).toEqual(['Gates'])
  })

  it('have the language that their attributes name', () => {
    expect(fencedListings('[source%linenums,sh]\n----\nopen\n----\n')).toBe('```sh\nopen\n```\n')
    expect(fencedListings('x\n\n[source]\n----\nopen\n----\n')).toBe('x\n\n```\nopen\n```\n')
    expect(fencedListings('.How to open\n....\nopen\n....\n')).toBe('.How to open\n```\nopen\n```\n')
  })

  it('are single lines and prose, too, where others are clear', () => {
    const block = (code: string) => `------\n${code}\n------\n\n`
    const code = 'open()\nwait()'
    const prose = 'The keeper opens it each day at noon.'
    const fenced = (one: string) => `\`\`\`\n${one}\n\`\`\`\n\n`
    expect(fencedListings([code, code, 'open', prose].map(block).join(''))).toBe(
      [code, code, 'open', prose].map(fenced).join(''),
    )
    expect(fencedListings([code, 'open', prose].map(block).join(''))).toBe(fenced(code) + block('open') + block(prose))
  })

  it('have a longer fence where one stands in them', () => {
    expect(fencedListings('[source]\n----\n````\n~~~\n----')).toBe('`````\n````\n~~~\n`````')
  })

  it.each([
    ['a single line that is longer than the lines', '\n----\nopen the gate\n----\n'],
    ['a command', '\n------------\n$ open\n------------\n'],
    ['prose in AsciiDoc', '= Gates\n\n== Noon\n\n----\nThe keeper opens it each day at noon.\n----\n'],
  ])('are found as %s', (_, text) => {
    expect(fencedListings(text)).toContain('```\n')
  })

  it.each([
    ['a title between two lines', '\n--------\nGates\n--------\n\nThey open.\n'],
    ['a box of prose', '\n----\nThe keeper opens it each day at noon.\nHe closes it at night.\n----\n'],
    ['rules', 'One.\n\n----\n\nTwo.\n\n----\n\nThree.\n'],
    ['titles with lines below', 'Gates\n-----\nopen()\nLocks\n-----\nwait()\n'],
    ['a line that nothing ends', 'x\n\n----\nopen()\nwait()\n'],
    ['titles between two lines beside a table', '====  ====\na     b\n====  ====\n\n-----\nGates\n-----\n\nOpen.\n'],
    ['titles between two lines beside a calculation', '2 + 3\n= 5 gates\n\n-----\nGates\n-----\n\nOpen.\n'],
    ['a fence', '```\n\n----\nopen()\nwait()\n----\n\n[source]\n----\nwait()\n----\n```\n'],
    ['a table', '\n-----\na  b\n-----\n1  2\n3  4\n-----\n'],
  ])('are none in %s', (_, text) => {
    expect(fencedListings(text)).toBe(text)
  })

  it('keep all words, in any text', () => {
    const line = fc.constantFrom(
      '----',
      '....',
      '-----',
      '',
      'open()',
      '$ open',
      '= Gates',
      '[source,sh]',
      '.Title',
      '```',
      '+',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 20 }), lines => {
        const text = lines.join('\n')
        const words = (of: string) => of.match(/open|Gates|Title/gu) ?? []
        expect(words(fencedListings(text))).toEqual(words(text))
      }),
    )
  })
})

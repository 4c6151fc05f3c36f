import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readingOf, readingWithParts } from '../../../../src/adapters/models/late-interaction/reading.ts'
import { statementsOf } from '../../../../src/text/code/statements.ts'
import { wordsOfCode } from '../../../../src/text/code/words-of-code.ts'
import { splitSentences } from '../../../../src/text/sentences/sentences.ts'
import { HOSTILE_TEXTS } from '../../../support/hostile-texts.ts'

const TABLE =
  'Pumps > Sizes\n## Sizes\n\n| pump | **casks** |\n|---|---|\n| `Mark V` | 12 |\n\nSee C# and issue #12, ~/pump --all.'
const CODE = [
  'function openPump(keyOfHall) {',
  '  const lockTime = readClock(keyOfHall)',
  '  if (lockTime > 9) {',
  "    throw new Error('the lock is stuck')",
  '  }',
  '  return pumpWith(lockTime, rustLevel)',
  '}',
].join('\n')

describe('a passage as the model reads it', () => {
  it('has spaces in the place of marks of Markdown', () => {
    expect(readingOf(TABLE).split(/\s+/u).join(' ')).toBe(
      'Pumps > Sizes Sizes pump casks Mark V 12 See C# and issue #12, ~/pump --all.',
    )
  })

  it('is the words of source code, under its title or without one', () => {
    const words = `open Pump key Of Hall`
    expect(readingOf(CODE)).toContain(words)
    expect(readingOf(`src/pump.js\n${CODE}`)).toContain(words)
  })

  it('of text has the length of the text, so that its parts stay where they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), text => {
        expect(readingOf(text)).toHaveLength(text.length)
      }),
    )
    const parts = splitSentences(TABLE).map(({ start, end }) => ({ start, end }))
    expect(readingWithParts({ text: TABLE, parts })).toEqual({ text: readingOf(TABLE), parts })
  })

  it('of code has the words of each statement where its part is', () => {
    const title = 'src/pump.js\n'
    const statements = statementsOf(CODE)
    const given = statements.map(({ start, end }) => ({ start: start + title.length, end: end + title.length }))
    const { text, parts } = readingWithParts({ text: title + CODE, parts: given })
    expect(text).toBe(readingOf(title + CODE))
    expect(parts.map(({ start, end }) => text.slice(start, end))).toEqual(
      statements.map(({ start, end }) => wordsOfCode(CODE.slice(start, end))),
    )
    expect(parts.at(-1)?.end).toBe(text.length)
  })

  it('takes linear time on hostile texts', () => {
    for (const text of HOSTILE_TEXTS) expect(typeof readingOf(text)).toBe('string')
  })
})

import { describe, expect, it } from 'vitest'
import { statementsOf } from '../../../src/text/code/statements.ts'
import { wordsOfCode } from '../../../src/text/code/words-of-code.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'

const CODE = `/**
 * How long to wait before the next try.
 */
export function retryDelay(attempt: number, { baseMs = 100 }: Options): number {
  // A client that waits "too long" gives up.
  return Math.min(baseMs * 2 ** attempt, 60_000) // ms
}
`

describe('the words of source code', () => {
  it('are those of its names and comments, line by line', () => {
    expect(
      wordsOfCode(CODE)
        .split('\n')
        .map(line => line.trim()),
    ).toEqual([
      '',
      'How long to wait before the next try.',
      '',
      'export function retry Delay attempt number, base Ms 100 Options number',
      `A client that waits "too long" gives up.`,
      'return Math.min base Ms 2 attempt, 60 000 ms',
      '',
      '',
    ])
  })

  it('keep letters of any script whole', () => {
    expect(wordsOfCode('// यह हिन्दी टिप्पणी है, cafe\u0301 — don’t').trim()).toBe('यह हिन्दी टिप्पणी है, cafe\u0301 don’t')
  })

  it('of statements one after the other are those of the whole', () => {
    for (const code of [CODE, ...HOSTILE_TEXTS]) {
      const parts = statementsOf(code).map(({ start, end }) => wordsOfCode(code.slice(start, end)))
      if (parts.length > 0) expect(parts.join('')).toBe(wordsOfCode(code))
    }
  })
})

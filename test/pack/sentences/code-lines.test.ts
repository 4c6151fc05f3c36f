import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeLinesOf } from '../../../src/pack/sentences/code-lines.ts'

const linesOf = (text: string, before = 'Run.\n') =>
  codeLinesOf({ text, start: before.length, end: before.length + text.length, kind: 'code' }, before)

describe('the lines of a block of code', () => {
  it('are the block again when they are joined, each with the blank lines behind it', () => {
    const line = fc.constantFrom('run();', '  stop()', '', '   ', '\t')
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), code => {
        const text = `\`\`\`js\n${['begin()', ...code].join('\n')}\n\`\`\`\n`
        const lines = linesOf(text)
        expect(lines.map(one => one.text).join('')).toBe(text)
        for (const { text: own, start, end } of lines) {
          expect(text.slice(start - 5, end - 5)).toBe(own)
          expect(own.split('\n')[0]?.trim()).not.toBe('')
        }
      }),
    )
  })

  it('have an empty end where the chunk ends inside of the code', () => {
    for (const [text, before] of [
      ['```js\nrun()\nstop()', 'Run.\n'],
      ['```\nrun()\nstop()', ''],
      ['```\nrun()\nstop()', 'Run it:\n'],
    ] as const) {
      const lines = linesOf(text, before)
      expect(lines.map(one => one.text).join('')).toBe(text)
      expect(lines.at(-1)).toMatchObject({
        text: '',
        start: before.length + text.length,
        end: before.length + text.length,
      })
    }
  })

  it('are none where the fence may be the end of other code, without code, and for a fence that is indented', () => {
    for (const text of ['```\nrun()\n', '```\n```\n', '  ```\n  run()\n  ```\n']) expect(linesOf(text)).toEqual([])
  })

  it('take linear time for white space of any length', () => {
    expect(linesOf(`\`\`\`\nrun()\n${' '.repeat(2_000_000)}`)).toEqual([])
    expect(linesOf(`\`\`\`\n${' \n'.repeat(100_000)}run()\n\`\`\``)).toHaveLength(3)
  })
})

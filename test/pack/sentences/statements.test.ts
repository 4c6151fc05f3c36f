import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { outlineOf } from '../../../src/pack/repetition/outline.ts'
import { bestSentences } from '../../../src/pack/sentences/best-set.ts'
import { measureSentences } from '../../../src/pack/sentences/measured.ts'
import { sentencesToCut } from '../../../src/pack/sentences/units.ts'
import { OpenBlocks } from '../../../src/text/code/open-blocks.ts'
import { candidate, chunk, countWords, inSteps } from '../../support/candidates.ts'
import { PYTHON, TYPESCRIPT } from '../../text/code/samples.ts'

const costIn = (room: number) => new CostModel(RENDERERS.markdown, inSteps(countWords), room)

const measured = (text: string) =>
  finish(measureSentences(candidate({ id: 'a', text }), null, 1_000, costIn(1_000))).sentences.map(one => ({
    ...one,
    text: text.slice(one.start, one.end).trim(),
  }))

/** The statements that are chosen when only those with one of `words` match. */
function chosen(text: string, room: number, ...words: string[]): string {
  const matches = [...sentencesToCut(chunk({ text }))].map(one =>
    words.some(word => one.text.includes(word)) ? 8 : -8,
  )
  const units = finish(bestSentences(candidate({ id: 'a', text }), null, matches, room, costIn(room)))
  return units.map(({ start, end }) => text.slice(start, end).trimEnd()).join('\n')
}

describe('a chunk of source code that is cut', () => {
  it('is cut between statements, and has no headings', () => {
    expect(measured(PYTHON).map(({ text }) => text)).toContain('# The depth never changes.')
    for (const { isHeading, kind } of measured(PYTHON)) expect([isHeading, kind]).toEqual([false, 'statement'])
  })

  it('has the beginning of the function, and never ends with the beginning of a block', () => {
    for (const room of [20, 24, 28, 32, 36, 40, 50]) {
      const shown = chosen(PYTHON, room, 'time.sleep', 'for step')
      if (shown.includes('time.sleep')) expect(shown).toContain('def open(self):')
      expect(shown).not.toMatch(/(?:^|\n).*:$/)
    }
    expect(chosen(PYTHON, 40, 'time.sleep')).not.toContain('class Gate')
  })

  it('has no beginning of a function that takes most of the room', () => {
    const names = Array.from({ length: 30 }, (_, at) => `        gate_${at},\n`).join('')
    const text = PYTHON.replace('def open(self', `def open(self,\n${names}        last`)
    for (const room of [40, 60]) {
      const shown = chosen(text, room, 'time.sleep')
      expect(shown).toContain('time.sleep(1)')
      expect(shown).not.toContain('gate_0')
    }
    expect(chosen(text, 270, 'time.sleep')).toContain('gate_0')
  })

  it('knows blocks behind much white space in linear time', () => {
    const blocks = new OpenBlocks<number>()
    expect(blocks.enter({ text: `${' '.repeat(400_000)}go {`, opens: true }, () => 0)).toBeUndefined()
  })

  it('keeps a comment with the code that it describes', () => {
    const shown = chosen(PYTHON, 40, '# The depth')
    expect(shown).toContain('# The depth never changes.\n        self.depth = depth')
    expect(shown).toContain('def __init__(self, depth,')
  })

  it('has few gaps', () => {
    const shown = chosen(TYPESCRIPT, 30, 'wait', 'return')
    expect(shown.split('\n').length).toBeGreaterThan(3)
    expect(TYPESCRIPT.replace(/\s+/g, ' ')).toContain(shown.slice(shown.indexOf('{')).replace(/\s+/g, ' ').trim())
  })

  it('is no repetition of another function with the same statements', () => {
    expect(finish(outlineOf(TYPESCRIPT))).toEqual([])
  })
})

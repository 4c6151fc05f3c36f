import { describe, expect, it } from 'vitest'
import { joinUnits } from '../../src/pack/layout.ts'
import { candidate } from '../support/candidates.ts'

const CODE = 'upstream app {\n  server one;\n  server two;\n    deeper;\n}\n\n\n\nThe end.'

/** A text in chunks that touch, each packed whole. */
function joined(...ends: number[]): string | undefined {
  const units = [...ends, CODE.length].map((end, at) => {
    const start = at === 0 ? 0 : (ends[at - 1] ?? 0)
    const text = CODE.slice(start, end)
    const place = { id: at, orderIndex: at, charStart: start, charEnd: end, text }
    return { candidate: candidate(place), start: 0, end: text.length, value: 1 }
  })
  return joinUnits(units)[0]?.text
}

describe('chunks that touch', () => {
  it('keep the indentation of code wherever they are cut', () => {
    for (let end = 1; end < CODE.length; end++)
      expect(joined(end)?.replace(/\n{3,}/gu, '\n\n')).toBe(CODE.replace(/\n{3,}/gu, '\n\n'))
  })

  it('have at most one empty line between them', () => {
    const end = CODE.indexOf('}') + 1
    expect(joined(end + 2)).toContain('}\n\nThe end.')
  })
})

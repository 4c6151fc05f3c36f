import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blend } from '../../src/rank/blend.ts'
import { expandNeighbours, missingNeighbours, propagateScores } from '../../src/rank/reunify.ts'
import { scaleToBest } from '../../src/rank/scale.ts'
import { candidate, candidates, chunk } from '../support/candidates.ts'

const at = (orderIndex: number, value: number, over = {}) => candidate({ id: orderIndex, orderIndex, ...over }, value)
const valueAt = (list: { chunk: { orderIndex: number | null }; value: number }[], place: number) =>
  list.find(c => c.chunk.orderIndex === place)?.value

describe('propagateScores', () => {
  it('adds a share of the neighbours and of the best value of the document', () => {
    const propagated = propagateScores([at(1, 1), at(2, 0.5), at(9, 0.2)], 0.2, 0.3)
    expect(valueAt(propagated, 1)).toBeCloseTo(1 + 0.2 * 0.25 + 0.3, 10)
    expect(valueAt(propagated, 2)).toBeCloseTo(0.5 + 0.2 * 0.5 + 0.3, 10)
    expect(valueAt(propagated, 9)).toBeCloseTo(0.2 + 0.3, 10)
  })

  it('is off at 0', () => {
    fc.assert(
      fc.property(candidates(), pool => {
        expect(propagateScores(pool, 0, 0).map(c => c.value)).toEqual(pool.map(c => c.value))
      }),
    )
  })
})

describe('expandNeighbours', () => {
  it('raises neighbours in the same section to a share of the candidate, and no others', () => {
    const other = at(3, 0.1, { sectionPath: 'Doc > Other' })
    const { candidates: expanded } = expandNeighbours([at(2, 1), at(1, 0.3), other], [], [], 0.85, 'section')
    expect([1, 2, 3].map(place => valueAt(expanded, place))).toEqual([0.85, 1, 0.1])
    expect(valueAt(expandNeighbours([at(2, 1), other], [], [], 0.85, 'document').candidates, 3)).toBe(0.85)
  })

  it('adds no fetched chunk without text', () => {
    const fetched = [chunk({ id: 3, orderIndex: 3, text: ' \n' }), chunk({ id: 1, orderIndex: 1 })]
    const { candidates: expanded } = expandNeighbours([at(2, 1)], [], fetched, 0.85, 'section')
    expect(expanded.map(({ chunk: { orderIndex } }) => orderIndex)).toEqual([2, 1])
  })

  it('restores what was cut by rank, adds what was fetched, and leaves duplicates out', () => {
    const cut = { candidate: at(1, 0.1), reason: 'below_pool' as const, evidence: {} }
    const copy = { candidate: at(3, 0.1), reason: 'duplicate' as const, evidence: {} }
    const { candidates: expanded, dropped } = expandNeighbours(
      [at(2, 1)],
      [cut, copy],
      [chunk({ id: 77, orderIndex: 1, docId: 'else' })],
      0.5,
      'section',
    )
    expect(expanded.map(c => [c.chunk.orderIndex, c.value])).toEqual([
      [2, 1],
      [1, 0.5],
    ])
    expect(dropped).toEqual([copy])
  })

  it('asks only for neighbours that are not known yet', () => {
    const places = missingNeighbours(
      [at(0, 1), at(1, 0.5), at(7, 0.5, { docId: 'b' })],
      [at(0, 1), at(1, 0.5), at(8, 0.1, { docId: 'b' })],
    )
    expect(places.map(({ docId, orderIndex }) => `${docId}${orderIndex}`)).toEqual(['doc2', 'b6'])
  })
})

describe('blend', () => {
  it('scales the relevance to its maximum, and keeps the value where a score is missing', () => {
    const blended = blend(scaleToBest([at(1, 0.8), at(2, 0.4), at(3, 0.2)]), [0.01, 0.04, null], 0.5)
    expect(valueAt(blended, 1)).toBeCloseTo(0.5 * 1 + 0.5 * 0.25, 10)
    expect(valueAt(blended, 2)).toBeCloseTo(0.5 * 0.5 + 0.5 * 1, 10)
    expect(valueAt(blended, 3)).toBeCloseTo(0.25, 10)
  })

  it('leaves candidates behind those that were asked behind them, whatever the reranker says', () => {
    const pool = Array.from({ length: 8 }, (_, place) => at(place, 1 - place / 20))
    const asked = pool.slice(0, 5)
    const scores = [0.2, 0.0001, 0.9, 0, 0.01]
    const order = blend(pool, scores, 0.4).map(({ chunk }) => chunk.orderIndex)
    expect(order.slice(0, 5)).toEqual(blend(asked, scores, 0.4).map(({ chunk }) => chunk.orderIndex))
    expect(order.slice(5)).toEqual([5, 6, 7])
  })

  it('keeps all values when no score came', () => {
    const pool = [at(1, 0.9), at(2, 0.5), at(3, 0.4)]
    expect(blend(pool, [null, null], 0.4)).toEqual(pool)
  })

  it('keeps the fused order at weight 0 and uses the reranker alone at 1', () => {
    const pool = [at(1, 0.9), at(2, 0.5)]
    expect(blend(pool, [0.1, 0.9], 0).map(c => c.chunk.orderIndex)).toEqual([1, 2])
    expect(blend(pool, [0.1, 0.9], 1).map(c => c.chunk.orderIndex)).toEqual([2, 1])
  })
})

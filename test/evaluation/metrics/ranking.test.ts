import { describe, expect, it } from 'vitest'
import { QueryEvidence } from '../../../src/evaluation/metrics/query-evidence.ts'
import { contextPrecision, ndcgAt, recallAt, reciprocalRank } from '../../../src/evaluation/metrics/ranking.ts'
import { goldenQuery, goldSpan } from '../support/golden.ts'

describe('ranking measures', () => {
  it('agree with values worked out by hand', () => {
    const ranked = [[], [0], [0], [1, 2], []]
    expect(recallAt(ranked, 3, 1)).toBe(0)
    expect(recallAt(ranked, 3, 2)).toBeCloseTo(1 / 3)
    expect(recallAt(ranked, 4, 5)).toBe(0.75)
    expect(reciprocalRank(ranked)).toBe(0.5)
    expect(reciprocalRank([[], []])).toBe(0)
    const gained = 1 / Math.log2(3) + 2 / Math.log2(5)
    expect(ndcgAt(ranked, [1, 1, 1], 10)).toBeCloseTo(gained / (1 + 1 / Math.log2(3) + 1 / 2))
    expect(ndcgAt(ranked, [1, 1, 1], 2)).toBeCloseTo(1 / Math.log2(3) / (1 + 1 / Math.log2(3)))
    expect(ndcgAt([[1], [0]], [1, 3], 10)).toBe(1)
    expect(ndcgAt([[0], [1]], [1, 3], 10)).toBeCloseTo((1 + 3 / Math.log2(3)) / (3 + 1 / Math.log2(3)))
    expect(ndcgAt([[0, 1]], [1, 1], 10)).toBe(1)
    expect(contextPrecision([[0], [], [1]])).toBeCloseTo((1 + 2 / 3) / 2)
    expect(contextPrecision([[], [0]])).toBe(0.5)
    expect(contextPrecision([[], []])).toBe(0)
    expect(contextPrecision([])).toBe(0)
  })
})

describe('the gold passages that a chunk holds', () => {
  const text = 'The basin is nine metres deep at low water. The gate shuts at dusk and opens at dawn for small boats.'
  const gate = text.indexOf('The gate')
  const evidence = new QueryEvidence(goldenQuery('q', [goldSpan(text, 0, gate - 1), goldSpan(text, gate, text.length)]))

  it('are those of which it has half, and those that are half of it', () => {
    expect(evidence.heldBy(text)).toEqual([0, 1])
    expect(
      evidence.heldBy('Depth: the basin is nine metres deep. Ask the keeper of the lamp for all else that you need'),
    ).toEqual([0])
    expect(evidence.heldBy('opens at dawn for small boats')).toEqual([1])
    expect(evidence.heldBy('the gate of the basin is for small boats at dusk')).toEqual([])
    expect(evidence.heldBy('')).toEqual([])
  })
})

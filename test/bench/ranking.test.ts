import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Gain, ndcgAt, rankingOf, recallAt } from './ranking.ts'

const gain = fc.constantFrom<Gain>('linear', 'exponential')
const grades = (most = 6) => fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: most })
const cutoff = fc.integer({ min: 1, max: 8 })

/** DCG as on paper: rank by rank, natural logarithms, grade by table. */
function naiveDcg(k: number, ranked: readonly number[], kind: Gain): number {
  const table: Record<number, [number, number]> = { [-1]: [0, 0], 0: [0, 0], 1: [1, 1], 2: [2, 3], 3: [3, 7] }
  let sum = 0
  for (let rank = 1; rank <= Math.min(k, ranked.length); rank += 1)
    sum += ((table[ranked[rank - 1] ?? 0] ?? [0, 0])[kind === 'linear' ? 0 : 1] * Math.LN2) / Math.log(rank + 1)
  return sum
}

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length === 0) return [[]]
  return items.flatMap((item, at) =>
    permutations(items.filter((_, other) => other !== at)).map(rest => [item, ...rest]),
  )
}

describe('nDCG', () => {
  it('is the DCG over that of the best of all orders', () => {
    fc.assert(
      fc.property(grades(5), grades(5), cutoff, gain, (retrieved, missed, k, kind) => {
        const judged = [...retrieved, ...missed].slice(0, 6)
        const best = Math.max(...permutations(judged).map(order => naiveDcg(k, order, kind)))
        const expected = best === 0 ? 0 : naiveDcg(k, retrieved, kind) / best
        expect(ndcgAt(k, retrieved, judged, kind)).toBeCloseTo(expected, 10)
      }),
      { numRuns: 60 },
    )
  })

  it('is 1 for the ideal order only, and moves up when a better item moves up', () => {
    fc.assert(
      fc.property(grades(8), gain, fc.nat(), (ranked, kind, at) => {
        const ideal = [...ranked].sort((a, b) => b - a)
        if (ranked.some(grade => grade > 0)) expect(ndcgAt(10, ideal, ranked, kind)).toBeCloseTo(1, 12)
        const place = at % Math.max(1, ranked.length - 1)
        const [upper = 0, lower = 0] = ranked.slice(place, place + 2)
        const swapped = [...ranked]
        swapped.splice(place, 2, lower, upper)
        if (ranked.length > 1 && Math.max(0, lower) > Math.max(0, upper))
          expect(ndcgAt(10, swapped, ranked, kind)).toBeGreaterThan(ndcgAt(10, ranked, ranked, kind))
      }),
    )
  })

  it('knows the items that were not retrieved', () => {
    expect(ndcgAt(10, [1], [1, 3], 'linear')).toBeCloseTo(1 / (3 + 1 / Math.log2(3)), 12)
    expect(ndcgAt(10, [1], [1, 3], 'exponential')).toBeCloseTo(1 / (7 + 1 / Math.log2(3)), 12)
    expect(ndcgAt(10, [], [2], 'linear')).toBe(0)
    expect(ndcgAt(10, [0, 0], [0], 'linear')).toBe(0)
  })
})

describe('recall', () => {
  it('counts relevant items among the first k', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), cutoff, fc.nat(5), (relevant, k, missed) => {
        const total = relevant.filter(Boolean).length + missed
        if (total === 0) return
        let found = 0
        for (const [index, hit] of relevant.entries()) if (index < k && hit) found += 1
        expect(recallAt(k, relevant, total)).toBe(found / total)
      }),
    )
  })

  it('refuses a query without relevant items', () => {
    expect(() => recallAt(5, [false], 0)).toThrow(RangeError)
  })
})

describe('a ranking', () => {
  it('holds every place once, falls in score, keeps ties in order, and puts the unscored last', () => {
    const scores = fc.array(fc.option(fc.constantFrom(-2, -0.5, 0, 1, 3)), { maxLength: 12 })
    fc.assert(
      fc.property(scores, given => {
        const ranking = rankingOf(given)
        expect([...ranking].sort((a, b) => a - b)).toEqual(given.map((_, place) => place))
        for (let index = 1; index < ranking.length; index += 1) {
          const [before = 0, after = 0] = ranking.slice(index - 1, index + 1)
          const [upper = null, lower = null] = [given[before], given[after]]
          if (upper === null) expect(lower).toBeNull()
          if (upper !== null && lower !== null) expect(upper).toBeGreaterThanOrEqual(lower)
          if (upper === lower) expect(before).toBeLessThan(after)
        }
      }),
    )
  })
})

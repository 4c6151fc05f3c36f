import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ownScores, reassignScores, type ScoredList } from '../../../src/drop-in/points/scores.ts'
import { printFloat32 } from '../../../src/qdrant/float32.ts'
import type { FusionRule } from '../../../src/qdrant/fusion.ts'

const list = (keys: string, asked = 100): ScoredList => ({
  points: [...keys].map((key, place) => ({ key, score: 1 - place / 10 })),
  asked,
})
const RRF: FusionRule = { method: 'rrf', k: 2, weights: null }

/** Lists of distinct keys with falling scores. */
const lists = fc.array(
  fc.record({
    keys: fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { minLength: 1 }),
    scores: fc.array(fc.float({ min: -10, max: 10, noNaN: true }), { minLength: 16, maxLength: 16 }),
    asked: fc.integer({ min: 1, max: 20 }),
  }),
  { minLength: 1, maxLength: 4 },
)
const toLists = (drawn: { keys: string[]; scores: number[]; asked: number }[]): ScoredList[] =>
  drawn.map(({ keys, scores, asked }) => {
    const falling = scores.slice(0, keys.length).sort((a, b) => b - a)
    return { asked, points: keys.map((key, place) => ({ key, score: falling[place] ?? 0 })) }
  })

describe('own scores', () => {
  it('of reciprocal rank fusion are those of Qdrant, to the last digit', () => {
    const own = ownScores([list('ba'), list('abc'), list('eca')], RRF)
    expect(new Map([...own].map(([key, score]) => [key, printFloat32(score)]))).toEqual(
      new Map([
        ['a', '1.0833334'],
        ['b', '0.8333334'],
        ['c', '0.5833334'],
        ['e', '0.5'],
      ]),
    )
  })

  it('see only what the client asked of each list; deeper points never rank above', () => {
    fc.assert(
      fc.property(lists, fc.constantFrom<FusionRule>(RRF, { method: 'dbsf' }), (drawn, fusion) => {
        const deep = toLists(drawn)
        const asked = deep.map(({ points, asked }) => ({ points: points.slice(0, asked), asked }))
        const expected = ownScores(asked, fusion)
        const own = ownScores(deep, fusion)
        const floor = Math.min(...expected.values())
        for (const { points } of deep) {
          for (const { key } of points) {
            if (expected.has(key)) expect(own.get(key)).toBe(expected.get(key))
            else expect(own.get(key)).toBeLessThanOrEqual(floor)
          }
        }
      }),
    )
  })

  it('of a single search are its own', () => {
    expect(ownScores([list('abc', 1)], null)).toEqual(
      new Map([
        ['a', 1],
        ['b', Math.fround(0.9)],
        ['c', Math.fround(0.8)],
      ]),
    )
  })
})

describe('handing out', () => {
  it('gives each score away once, best first, and the worst to what has none', () => {
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.float({ noNaN: true, noDefaultInfinity: true }))),
        fc.boolean(),
        (own, distance) => {
          const scores = reassignScores(own, { distance })
          const known = own.filter(score => score !== null)
          expect(scores).toHaveLength(own.length)
          for (const [place, score] of scores.entries()) {
            if (place > 0)
              expect(distance ? score >= (scores[place - 1] ?? 0) : score <= (scores[place - 1] ?? 0)).toBe(true)
          }
          const worst = distance ? Math.max(...known) : Math.min(...known)
          const rest = Array(own.length - known.length).fill(known.length === 0 ? 0 : worst)
          const sorted = (values: number[]) => values.map(value => value + 0).sort((a, b) => a - b)
          expect(sorted(scores)).toEqual(sorted([...known, ...rest]))
        },
      ),
    )
  })
})

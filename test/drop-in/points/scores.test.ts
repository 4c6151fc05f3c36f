import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { handOutScores, ownScores, printScore, type ScoredList } from '../../../src/drop-in/points/scores.ts'
import type { FusionRule } from '../../../src/drop-in/query/understand.ts'

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

/** Lists and fused scores of the real engine (qdrant-edge-py 0.9.0) over the dataset in test/contracts. */
interface FusionReference {
  name: string
  lists: [key: string, score: number][][]
  query: { fusion?: string; rrf?: { k: number; weights: number[] } }
  fused: [key: string, score: number][]
}
const references: FusionReference[] = JSON.parse(
  readFileSync(new URL('./fusion-reference.json', import.meta.url), 'utf8'),
)

describe('own scores', () => {
  it.each(references)('equal those of the real engine bit for bit: $name', ({ lists, query, fused }) => {
    const fusion: FusionRule = query.rrf ? { method: 'rrf', ...query.rrf } : { method: 'dbsf' }
    const scored = lists.map(hits => ({ asked: hits.length, points: hits.map(([key, score]) => ({ key, score })) }))
    expect(ownScores(scored, fusion)).toEqual(new Map(fused.map(([key, score]) => [key, Math.fround(score)])))
  })

  it('of reciprocal rank fusion are those of Qdrant, to the last digit', () => {
    const own = ownScores([list('ba'), list('abc'), list('eca')], RRF)
    expect(new Map([...own].map(([key, score]) => [key, printScore(score)]))).toEqual(
      new Map([
        ['a', '1.0833334'],
        ['b', '0.8333334'],
        ['c', '0.5833334'],
        ['e', '0.5'],
      ]),
    )
    const weighted = ownScores([list('a'), list('b')], { method: 'rrf', k: 2, weights: [3, 0] })
    expect(weighted.get('a')).toBeCloseTo(0.75, 6)
    expect(weighted.get('b')).toBe(0)
    expect(ownScores([list('ab')], { method: 'rrf', k: 61, weights: null }).get('b')).toBe(Math.fround(1 / 62))
  })

  it('of DBSF agree with a naive oracle', () => {
    fc.assert(
      fc.property(lists, drawn => {
        const scored = toLists(drawn).map(one => ({ ...one, asked: 100 }))
        const own = ownScores(scored, { method: 'dbsf' })
        const expected = new Map<string, number>()
        let steady = true
        for (const { points } of scored) {
          const mean = points.reduce((sum, { score }) => sum + score, 0) / points.length
          const deviation = Math.sqrt(
            points.reduce((sum, { score }) => sum + (score - mean) ** 2, 0) / (points.length - 1),
          )
          // Near zero spread float32 decides whether there is any.
          if (points.length > 1 && deviation < 1e-3) steady = false
          for (const { key, score } of points) {
            const share = points.length < 2 ? 0.5 : (score - (mean - 3 * deviation)) / (6 * deviation)
            expected.set(key, (expected.get(key) ?? 0) + share)
          }
        }
        fc.pre(steady)
        expect([...own.keys()].sort()).toEqual([...expected.keys()].sort())
        for (const [key, score] of expected) expect(own.get(key)).toBeCloseTo(score, 2)
      }),
    )
  })

  it('of DBSF are .5 where there is no spread', () => {
    const flat = {
      points: [
        { key: 'a', score: 3 },
        { key: 'b', score: 3 },
      ],
      asked: 10,
    }
    expect(ownScores([flat, list('c')], { method: 'dbsf' })).toEqual(
      new Map([
        ['a', 0.5],
        ['b', 0.5],
        ['c', 0.5],
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
          const scores = handOutScores(own, { distance })
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

describe('printing', () => {
  it.each([
    [1, '1.0'],
    [0, '0.0'],
    [0.5, '0.5'],
    [5 / 6, '0.8333333'],
    [-12.25, '-12.25'],
    [16777216, '16777216.0'],
    [0.00001, '0.00001'],
    [1.5e-7, '1.5e-7'],
    [1e20, '1e20'],
    [0.1, '0.1'],
  ])('%d as %s', (score, text) => {
    expect(printScore(score)).toBe(text)
  })

  it('reads back as the same float32, and no shorter decimal would', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), score => {
        const text = printScore(score)
        expect(Math.fround(Number(text)) === score).toBe(true)
        expect(JSON.parse(text)).toBe(Number(text))
        expect(text).toMatch(/[.e]/)
        const digits = text
          .replace(/e.*/, '')
          .replace(/\.0$/, '')
          .replace(/\D/g, '')
          .replace(/^0+/, '')
          .replace(/0+$/, '').length
        if (digits > 1) expect(Math.fround(Number(score.toPrecision(digits - 1)))).not.toBe(score)
      }),
      { numRuns: 1000 },
    )
  })
})

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FusionRule, fuse } from '../../src/qdrant/fusion.ts'

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

/** Ranked lists of distinct keys with falling scores. */
const lists = fc.array(
  fc
    .record({
      keys: fc.uniqueArray(fc.constantFrom(...'abcdefghijklmnop'), { minLength: 1 }),
      scores: fc.array(fc.float({ min: -10, max: 10, noNaN: true }), { minLength: 16, maxLength: 16 }),
    })
    .map(({ keys, scores }) => {
      const falling = scores.slice(0, keys.length).sort((a, b) => b - a)
      return keys.map((key, place) => ({ key, score: falling[place] ?? 0 }))
    }),
  { minLength: 1, maxLength: 4 },
)
const ranked = (keys: string) => [...keys].map((key, place) => ({ key, score: 1 - place / 10 }))

describe('fusion', () => {
  it.each(references)('gives the real engine’s scores bit for bit: $name', ({ lists, query, fused }) => {
    const rule: FusionRule = query.rrf ? { method: 'rrf', ...query.rrf } : { method: 'dbsf' }
    const scored = lists.map(hits => hits.map(([key, score]) => ({ key, score })))
    expect(fuse(scored, rule)).toEqual(new Map(fused.map(([key, score]) => [key, Math.fround(score)])))
  })

  it('by RRF divides the rank by the weight, and gives nothing at weight 0', () => {
    const weighted = fuse([ranked('a'), ranked('b')], { method: 'rrf', k: 2, weights: [3, 0] })
    expect(weighted.get('a')).toBeCloseTo(0.75, 6)
    expect(weighted.get('b')).toBe(0)
    const plain = fuse([ranked('ab')], { method: 'rrf', k: 61, weights: null })
    expect(plain.get('b')).toBe(Math.fround(1 / 62))
  })

  it('by DBSF agrees with a naive oracle', () => {
    fc.assert(
      fc.property(lists, drawn => {
        const expected = new Map<string, number>()
        let steady = true
        for (const points of drawn) {
          const mean = points.reduce((sum, { score }) => sum + score, 0) / points.length
          const squares = points.reduce((sum, { score }) => sum + (score - mean) ** 2, 0)
          const deviation = Math.sqrt(squares / (points.length - 1))
          // Near zero spread float32 decides whether there is any.
          if (points.length > 1 && deviation < 1e-3) steady = false
          for (const { key, score } of points) {
            const share = points.length < 2 ? 0.5 : (score - (mean - 3 * deviation)) / (6 * deviation)
            expected.set(key, (expected.get(key) ?? 0) + share)
          }
        }
        fc.pre(steady)
        const fused = fuse(drawn, { method: 'dbsf' })
        expect([...fused.keys()].sort()).toEqual([...expected.keys()].sort())
        for (const [key, score] of expected) expect(fused.get(key)).toBeCloseTo(score, 2)
      }),
    )
  })

  it('by DBSF gives .5 where there is no spread, and takes the spread from the measured lists', () => {
    const flat = ['a', 'b'].map(key => ({ key, score: 3 }))
    const halves = new Map(['a', 'b', 'c'].map(key => [key, 0.5]))
    expect(fuse([flat, ranked('c')], { method: 'dbsf' })).toEqual(halves)
    const [long, short] = [ranked('abc'), ranked('ab')]
    const fused = fuse([long], { method: 'dbsf' }, [short])
    expect(fused.get('a')).toBe(fuse([short], { method: 'dbsf' }).get('a'))
    expect(fused.get('c')).toBeLessThan(fused.get('b') ?? 0)
  })

  it('makes every score and every sum a float32', () => {
    fc.assert(
      fc.property(
        lists,
        fc.constantFrom<FusionRule>({ method: 'rrf', k: 2, weights: null }, { method: 'dbsf' }),
        (drawn, rule) => {
          for (const score of fuse(drawn, rule).values()) expect(Math.fround(score)).toBe(score)
        },
      ),
    )
  })
})

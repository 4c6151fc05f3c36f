import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { bestSubset, type Item } from '../../../src/pack/sentences/subset.ts'

const GAP = { tokens: 4, price: 0.06 }
const bonus = fc.constantFrom(0, 0.03)
const item: fc.Arbitrary<Item> = fc.record({
  worth: fc.double({ min: 0, max: 1, noNaN: true }),
  tokens: fc.integer({ min: 1, max: 40 }),
  headTokens: fc.constantFrom(0, 0, 12),
  frame: fc.constantFrom(null, null, 1, 1, 2),
  opens: fc.boolean(),
  beginBonus: bonus,
  endBonus: bonus,
})

/** The sum and the tokens of a set of places; null when a run ends with an item that cannot end one. */
function totalOf(places: readonly number[], items: readonly Item[]): { sum: number; tokens: number } | null {
  let [sum, tokens] = [0, 0]
  for (const [index, at] of places.entries()) {
    const own = items[at] as Item
    const begins = places[index - 1] !== at - 1
    const ends = places[index + 1] !== at + 1
    if (ends && own.opens) return null
    sum += own.worth + (begins ? own.beginBonus : 0) + (ends ? own.endBonus : 0)
    const last = places[index - 1]
    const isFramed =
      last !== undefined && own.frame !== null && items.slice(last, at).every(({ frame }) => frame === own.frame)
    tokens += own.tokens + (begins && !isFramed ? own.headTokens : 0)
    if (begins && index > 0) {
      sum -= GAP.price
      tokens += GAP.tokens
    }
  }
  return { sum, tokens }
}

describe('the best subset of a sequence', () => {
  it('is worth as much as the best of all subsets that fit', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 9 }), fc.integer({ min: -5, max: 250 }), (items, room) => {
        const chosen = [...finish(bestSubset(items, room, GAP))].sort((a, b) => a - b)
        let best = 0
        for (let set = 1; set < 2 ** items.length; set++) {
          const value = totalOf(
            items.flatMap((_, at) => ((set >> at) & 1 ? [at] : [])),
            items,
          )
          if (value !== null && value.tokens <= room) best = Math.max(best, value.sum)
        }
        const found = totalOf(chosen, items)
        expect(found?.sum).toBeCloseTo(best, 9)
        expect(found?.tokens ?? 0).toBeLessThanOrEqual(Math.max(0, room))
      }),
      { numRuns: 400 },
    )
  })

  it('fits when the room is large and tokens are counted in amounts', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 200 }), fc.integer({ min: 1_025, max: 20_000 }), (items, room) => {
        const chosen = [...finish(bestSubset(items, room, GAP))].sort((a, b) => a - b)
        expect(totalOf(chosen, items)?.tokens).toBeLessThanOrEqual(room)
      }),
      { numRuns: 50 },
    )
  })

  it('takes everything when everything fits and the last item can end a run', () => {
    const items = Array.from(
      { length: 5_000 },
      (): Item => ({ worth: 0.01, tokens: 1, headTokens: 0, frame: null, opens: false, beginBonus: 0, endBonus: 0 }),
    )
    expect(finish(bestSubset(items.slice(0, 1_000), 1_024, GAP)).size).toBe(1_000)
    expect(finish(bestSubset(items, 1_000_000, GAP)).size).toBeGreaterThan(1_000)
  })
})

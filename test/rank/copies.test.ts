import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { dedupe } from '../../src/rank/dedupe.ts'
import { candidate } from '../support/candidates.ts'

const WORDS = 'pump valve sluice warden gauge lantern keel bell rope tide mast crane'.split(' ')
const textOf = (at: number) =>
  Array.from({ length: 30 }, (_, turn) => `${WORDS[(at + turn * (at + 1)) % WORDS.length]}${at}x${turn}`).join(' ')

/** Chunks of documents; those at one place of two documents are copies. Best first. */
function copied(documents: string[], chunks: number, worthOf: (document: string, at: number) => number): Candidate[] {
  return documents
    .flatMap((docId, which) =>
      Array.from({ length: chunks }, (_, at) => ({
        ...candidate({ id: which * 100 + at, docId, orderIndex: at, text: textOf(at) }),
        value: worthOf(docId, at),
      })),
    )
    .sort((a, b) => b.value - a.value)
}

describe('which copy of a text stays', () => {
  it('the chunks of a document that is there twice come from one of them', () => {
    const shares = fc.array(fc.tuple(fc.double({ min: 0.99, max: 1, noNaN: true }), fc.boolean()), {
      minLength: 8,
      maxLength: 8,
    })
    fc.assert(
      fc.property(shares, drawn => {
        const pool = copied(['a', 'b'], drawn.length, (document, at) => {
          const [share, isFirst] = drawn[at] ?? [1, true]
          return (isFirst === (document === 'a') ? 1 : share) / (at + 1)
        })
        const { kept, dropped } = finish(dedupe(pool, 0.9))
        expect(kept).toHaveLength(drawn.length)
        expect(new Set(kept.map(({ chunk }) => chunk.docId)).size).toBe(1)
        expect(kept.map(({ value }) => value)).toEqual(kept.map(({ value }) => value).sort((x, y) => y - x))
        const keys = new Set(kept.map(({ key }) => key))
        expect(dropped.every(({ evidence: { of = '' } }) => keys.has(of))).toBe(true)
        expect([...keys, ...dropped.map(({ candidate: { key } }) => key)].sort()).toEqual(
          pool.map(({ key }) => key).sort(),
        )
      }),
    )
  })

  it('a copy that is worth less does not take the place of the best one', () => {
    const best = { ...candidate({ id: 1, docId: 'a', orderIndex: 0, text: textOf(0) }), value: 1 }
    const others = [1, 2, 3].map(at => ({
      ...candidate({ id: 10 + at, docId: 'b', orderIndex: at, text: textOf(at) }),
      value: 0.9,
    }))
    const copy = { ...candidate({ id: 10, docId: 'b', orderIndex: 0, text: textOf(0) }), value: 0.95 }
    expect(finish(dedupe([best, copy, ...others], 0.9)).kept[0]).toBe(best)
    const near = { ...copy, value: 0.99 }
    expect(finish(dedupe([best, near, ...others], 0.9)).kept[0]).toBe(near)
    // Dropped beside the best one, and named by the copy at another place.
    const twin = { ...candidate({ id: 2, docId: 'a', orderIndex: 0, text: textOf(0) }), value: 0.97 }
    const { dropped } = finish(dedupe([best, near, twin, ...others], 0.9))
    expect(dropped.find(({ candidate: { key } }) => key === twin.key)?.evidence).toEqual({
      of: near.key,
      similarity: 1,
    })
  })
})

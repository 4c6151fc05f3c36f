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

  describe('of a document in several versions', () => {
    const version = (number: number, value: number, at = 0) => ({
      ...candidate({
        id: number * 100 + at,
        docId: `v${number}`,
        docName: `version ${number}, v${number}`,
        text: textOf(at),
      }),
      value,
    })
    const keptBy = (question: string | null, pool: Candidate[]) =>
      finish(dedupe(pool, 0.9, question)).kept.map(({ chunk }) => chunk.docId)

    it('the newest stays, whatever its copies are worth', () => {
      const pool = [version(3, 1), version(5, 0.6), version(4, 0.5), version(3, 0.4, 1), version(4, 0.3, 1)]
      expect(keptBy('keys', pool)).toEqual(['v5', 'v4'])
    })

    it('it stands where the best copy stood', () => {
      const pool = [version(3, 1), version(2, 0.9, 1), version(5, 0.1)]
      expect(keptBy('keys', pool)).toEqual(['v5', 'v2'])
    })

    it('the one that the question names stays', () => {
      expect(keptBy('keys in 3', [version(3, 1), version(5, 0.6)])).toEqual(['v3'])
      expect(keptBy('keys in v3', [version(5, 1), version(3, 0.6)])).toEqual(['v3'])
    })

    it('the best stays when nothing was asked', () => {
      expect(keptBy(null, [version(3, 1), version(5, 0.6)])).toEqual(['v3'])
    })

    it('other documents with the same text do not count', () => {
      const other = { ...version(5, 0.6), chunk: { ...version(5, 0.6).chunk, docTitle: 'Another' } }
      expect(keptBy('keys', [version(3, 1), other])).toEqual(['v3'])
      expect(keptBy('keys in 5', [version(3, 1), other])).toEqual(['v3'])
    })
  })
})

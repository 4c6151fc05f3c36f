import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { dedupe as dedupeInSteps } from '../../src/rank/dedupe.ts'
import { diversify as diversifyInSteps } from '../../src/rank/diversify.ts'
import { candidate, candidates } from '../support/candidates.ts'

const diversify = (...input: Parameters<typeof diversifyInSteps>) => finish(diversifyInSteps(...input))
const dedupe = (...input: Parameters<typeof dedupeInSteps>) => finish(dedupeInSteps(...input))

const withVectors = fc
  .array(
    fc.record({
      value: fc.integer({ min: 0, max: 100 }),
      vector: fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 3, maxLength: 3 }),
    }),
    { maxLength: 12 },
  )
  .map(rows =>
    rows
      .map(({ value, vector }, id) => ({
        ...candidate({ id, orderIndex: id }, value / 100),
        vector: new Float32Array(vector),
      }))
      .sort((a, b) => b.value - a.value),
  )

function cosine(a: number[], b: number[]): number {
  const dot = a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)
  const norm = Math.hypot(...a) * Math.hypot(...b)
  return norm === 0 ? 0 : dot / norm
}

/** MMR as in the paper: in each step, no candidate that is left has a larger gain than the chosen one. */
function expectGreedy(pool: (Candidate & { vector: Float32Array })[], order: Candidate[], alpha: number) {
  const vectorOf = (c: Candidate) => [...(c.vector ?? [])]
  order.forEach((taken, step) => {
    const chosen = order.slice(0, step)
    const gain = (c: Candidate) =>
      alpha * c.value -
      (1 - alpha) * (chosen.length === 0 ? 0 : Math.max(...chosen.map(o => cosine(vectorOf(c), vectorOf(o)))))
    const best = Math.max(...pool.filter(c => !chosen.includes(c)).map(gain))
    expect(gain(taken)).toBeGreaterThanOrEqual(best - 1e-6)
  })
}

describe('diversify', () => {
  it('agrees with MMR recomputed from scratch at each step', () => {
    fc.assert(
      fc.property(
        withVectors,
        fc.constantFrom(0.1, 0.5, 0.9, 1),
        fc.integer({ min: 1, max: 12 }),
        (pool, alpha, topK) => {
          const { kept } = diversify(pool, alpha, topK)
          expect(kept).toHaveLength(Math.min(topK, pool.length))
          expectGreedy(pool, kept, alpha)
        },
      ),
    )
  })

  it('takes the second of two topics before a copy of the first', () => {
    const make = (id: number, value: number, vector: number[]) => ({
      ...candidate({ id, orderIndex: id }, value),
      vector: new Float32Array(vector),
    })
    const pool = [make(1, 1, [1, 0]), make(2, 0.95, [1, 0.01]), make(3, 0.6, [0, 1])]
    const { kept, dropped } = diversify(pool, 0.5, 2)
    expect(kept.map(({ chunk }) => chunk.id)).toEqual([1, 3])
    expect(dropped).toMatchObject([{ reason: 'redundant', evidence: { of: 'docs/1', similarity: 1 } }])
  })

  it('loses no candidate', () => {
    fc.assert(
      fc.property(
        candidates(),
        fc.option(fc.constantFrom(0.3, 0.7)),
        fc.option(fc.integer({ min: 0, max: 10 })),
        (pool, alpha, topK) => {
          const { kept, dropped } = diversify(pool, alpha, topK)
          expect([...kept.map(c => c.key), ...dropped.map(d => d.candidate.key)].sort()).toEqual(
            pool.map(c => c.key).sort(),
          )
        },
      ),
    )
  })
})

describe('dedupe', () => {
  it('drops equal texts without a word, and keeps those that differ', () => {
    const pool = ['☎ → ★★★', '☎ → ★★★', '☎ → ★★'].map((text, at) => candidate({ id: at, docId: `d${at}`, text }))
    const { kept, dropped } = dedupe(pool, 0.9)
    expect(kept).toEqual([pool[0], pool[2]])
    expect(dropped.map(({ reason }) => reason)).toEqual(['duplicate'])
  })

  it('drops near-verbatim copies and keeps the better', () => {
    const text = 'The keeper of the lower gate rings the bell at every turning of the tide and writes it down.'
    const { kept, dropped } = dedupe(
      [
        candidate({ id: 1, text }),
        candidate({ id: 2, orderIndex: 4, text: `${text} ` }),
        candidate({ id: 3, orderIndex: 5, text: 'Something else entirely stands in this one.' }),
      ],
      0.9,
    )
    expect(kept.map(({ chunk }) => chunk.id)).toEqual([1, 3])
    expect(dropped).toMatchObject([{ reason: 'duplicate', evidence: { of: 'docs/1', similarity: 1 } }])
  })

  it('drops a second point at the same place', () => {
    const text = 'The keeper oils the bell at noon and rings it when the tide turns.'
    const { kept, dropped } = dedupe(
      [candidate({ id: 1, text }), candidate({ id: 2, text: text.replace('noon', 'dawn') })],
      0.9,
    )
    expect(kept).toHaveLength(1)
    expect(dropped).toMatchObject([{ evidence: { detail: 'same place' } }])
  })

  it('forgets the places of a document in which different texts stand at one place', () => {
    const texts = [
      'The keeper oils the bell at noon.',
      'A ledger lists the oars and ropes.',
      'Salt is kept in the tower.',
    ]
    const pages = texts.map((text, id) => candidate({ id, text, orderIndex: id % 2 }))
    const other = candidate({ id: 9, docId: 'other', text: 'Lanterns are lit at dusk by the gate.' })
    const { kept, dropped } = dedupe([...pages, other], 0.9)
    expect(kept.map(({ chunk }) => [chunk.id, chunk.orderIndex])).toEqual([
      [0, null],
      [1, null],
      [2, null],
      [9, 0],
    ])
    expect(dropped).toEqual([])
  })

  it('keeps exactly the candidates that no better kept candidate contains', () => {
    fc.assert(
      fc.property(candidates(10), pool => {
        const grams = (t: string) => {
          const words = t.toLowerCase().match(/[a-z]+/g) ?? []
          return new Set(
            words.length < 5 ? [words.join(' ')] : words.slice(0, -4).map((_, i) => words.slice(i, i + 5).join(' ')),
          )
        }
        const kept: Candidate[] = []
        for (const c of pool) {
          const own = grams(c.chunk.text)
          const covered = kept.some(k => [...own].filter(g => grams(k.chunk.text).has(g)).length >= 0.9 * own.size)
          if (!covered) kept.push(c)
        }
        expect(dedupe(pool, 0.9).kept.map(c => c.key)).toEqual(kept.map(c => c.key))
      }),
    )
  })
})

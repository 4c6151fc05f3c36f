import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate, RetrievedList } from '../../src/core/types.ts'
import { collect } from '../../src/rank/collect.ts'
import { type FusionOptions, fuse as fuseInSteps } from '../../src/rank/fuse.ts'
import { chunk, retrievedLists } from '../support/candidates.ts'

const fuse = (...input: Parameters<typeof fuseInSteps>) => finish(fuseInSteps(...input))

const values: FusionOptions = {
  method: 'values',
  rrfK: 60,
  candidateBm25: false,
  partialDenseWeight: 0.3,
  weights: { dense: 0.5, keyword: 0.5 },
}
const rrf: FusionOptions = { ...values, method: 'rrf', weights: { dense: 0.7, keyword: 0.3 } }

const list = (source: RetrievedList['kind'], ...hits: [number, number][]): RetrievedList => ({
  source,
  kind: source,
  hits: hits.map(([id, score]) => ({ score, chunk: chunk({ id, orderIndex: id }) })),
})

describe('collect', () => {
  it('keeps one candidate per id and one signal per list', () => {
    const merged = collect([list('dense', [1, 0.9], [2, 0.5], [1, 0.4]), list('keyword', [2, 7])])
    expect(merged.map(({ key, signals }) => [key, signals.map(({ source, rank }) => `${source}@${rank}`)])).toEqual([
      ['docs/1', ['dense@1']],
      ['docs/2', ['dense@2', 'keyword@1']],
    ])
  })

  it('treats scores that are not finite as unknown', () => {
    const [only] = collect([list('dense', [1, Number.NaN])])
    expect(only?.signals[0]).toMatchObject({ rank: 1, score: null })
  })
})

describe('fuse', () => {
  it('agrees with a naive reciprocal rank fusion', () => {
    fc.assert(
      fc.property(retrievedLists, lists => {
        const kinds = new Set(lists.map(({ kind }) => kind))
        const raw: Record<string, number> = { dense: 0.7, keyword: 0.3, other: 0.5 }
        const total = [...kinds].reduce((sum, kind) => sum + (raw[kind] ?? 0), 0)
        const oracle = new Map<string, number>()
        for (const { kind, hits } of lists)
          hits.forEach((hit, index) => {
            const key = `docs/${hit.chunk.id}`
            oracle.set(key, (oracle.get(key) ?? 0) + (raw[kind] ?? 0) / total / (60 + index + 1))
          })
        const filled = lists.filter(({ hits }) => hits.length > 0)
        fc.pre(filled.length === lists.length)
        for (const { key, fused } of fuse(collect(lists), null, rrf))
          expect(fused).toBeCloseTo(oracle.get(key) ?? -1, 12)
      }),
    )
  })

  it('agrees with a naive min-max fusion when each list contains each candidate', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: -2, max: 2, noNaN: true }), fc.double({ min: 0, max: 30, noNaN: true })), {
          minLength: 1,
          maxLength: 12,
        }),
        rows => {
          const scale = (column: number[]) => {
            const low = Math.min(...column)
            const high = Math.max(...column)
            return column.map(score => (high > low ? (score - low) / (high - low) : 1))
          }
          const dense = scale(rows.map(([score]) => score))
          const keyword = scale(rows.map(([, score]) => score))
          const lists = [
            list('dense', ...rows.map(([score], id): [number, number] => [id, score])),
            list('keyword', ...rows.map(([, score], id): [number, number] => [id, score])),
          ]
          for (const {
            chunk: { id },
            fused,
          } of fuse(collect(lists), null, values))
            expect(fused).toBeCloseTo(0.5 * (dense[Number(id)] ?? 0) + 0.5 * (keyword[Number(id)] ?? 0), 12)
        },
      ),
    )
  })

  it('makes the fused score the sum of its contributions, finite, sorted, and independent of input order', () => {
    fc.assert(
      fc.property(
        retrievedLists,
        fc.constantFrom<FusionOptions>(values, rrf, { ...values, candidateBm25: true }),
        (lists, options) => {
          const fused = fuse(collect(lists), 'harbour tide', options)
          const total = (c: Candidate) => c.signals.reduce((sum, { contribution }) => sum + contribution, 0)
          for (const c of fused) {
            expect(Number.isFinite(c.fused)).toBe(true)
            expect(c.fused).toBeCloseTo(total(c), 12)
          }
          for (let i = 1; i < fused.length; i++)
            expect(fused[i - 1]?.value).toBeGreaterThanOrEqual(fused[i]?.value ?? 0)
          const again = fuse(collect(lists).reverse(), 'harbour tide', options)
          expect(again.map(({ key }) => key)).toEqual(fused.map(({ key }) => key))
        },
      ),
    )
  })

  it('gives a candidate without a dense score the minimum, at a lower dense weight', () => {
    const [first, second] = fuse(
      collect([list('dense', [1, 0.9], [2, 0.1]), list('keyword', [3, 5], [1, 1])]),
      null,
      values,
    )
    expect(first?.key).toBe('docs/3')
    expect(first?.fused).toBeCloseTo(0.7, 12)
    expect(second?.fused).toBeCloseTo(0.3, 12)
  })
})

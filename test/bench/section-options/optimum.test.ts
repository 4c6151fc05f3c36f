import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupBy } from '../../../src/core/collections.ts'
import { finish } from '../../../src/core/steps.ts'
import { inReadingOrder, sectionOf, type Unit, wholeChunk } from '../../../src/pack/unit.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { countWords } from '../../support/candidates.ts'
import { instanceOf } from './instances.ts'
import { massOf, optimalMasses, sentenceRuns, wordCosts } from './optimum.ts'
import { filledMass } from './value.ts'

const pools = fc
  .record({ seed: fc.nat(), documents: fc.constantFrom(1, 2), chunkTokens: fc.constantFrom(16, 30) })
  .map(({ seed, ...size }) => instanceOf(seededRandom(seed), { ...size, sections: 2, chunks: 2 }))
/** Two to four chunks, of which two or more are of one section. */
const small = fc
  .nat()
  .map(seed => instanceOf(seededRandom(seed), { documents: 1, sections: 2, chunks: 3, chunkTokens: 30 }))
  .filter(pool => pool.length <= 4 && groupBy(pool.map(wholeChunk), sectionOf).size < pool.length)
const ratio = fc.double({ min: 0, max: 1.2, noNaN: true })

const budgetOf = (pool: ReturnType<typeof instanceOf>, share: number) =>
  Math.round(share * pool.reduce((sum, { chunk }) => sum + countWords(chunk.text), 0))

describe('the optimum with section options', () => {
  it('is what trying all sets of units gives, each set counted in one cost model', () => {
    fc.assert(
      fc.property(small, fc.double({ min: 0.2, max: 0.9, noNaN: true }), (pool, share) => {
        const budget = budgetOf(pool, share)
        expect(optimalMasses(pool, [budget])[0]).toBeCloseTo(naiveOptimum(pool.map(wholeChunk), budget), 9)
      }),
      { numRuns: 30 },
    )
  })

  it('is never below the packer, nor below the optimum of a smaller budget', () => {
    fc.assert(
      fc.property(pools, ratio, (pool, share) => {
        const budget = budgetOf(pool, share)
        const [optimum = 0, smaller = 0] = optimalMasses(pool, [budget, Math.max(0, budget - 7)])
        expect(smaller).toBeLessThanOrEqual(optimum)
        for (const how of [{}, { overflow: 'stop' as const }])
          expect(filledMass(pool, budget, how)).toBeLessThanOrEqual(optimum + 1e-9)
      }),
      { numRuns: 60 },
    )
  })
})

/** Tries each chunk left out, whole, and as each of its runs; a section has one run at most. */
function naiveOptimum(chunks: readonly Unit[], budget: number): number {
  let best = 0
  const visit = (at: number, taken: readonly Unit[]) => {
    const next = chunks[at]
    if (next) {
      for (const part of [null, next, ...sentenceRuns(next.candidate)]) visit(at + 1, part ? [...taken, part] : taken)
      return
    }
    const runs = taken.filter(({ candidate, start, end }) => start > 0 || end < candidate.chunk.text.length)
    if (groupBy(runs, sectionOf).size < runs.length) return
    const mass = taken.reduce((sum, unit) => sum + massOf(unit), 0)
    if (mass <= best) return
    const cost = wordCosts(budget)
    for (const unit of [...taken].sort(inReadingOrder)) cost.add(unit, finish(cost.costOf(unit)))
    if (cost.used <= budget) best = mass
  }
  visit(0, [])
  return best
}

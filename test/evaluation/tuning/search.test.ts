import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Candidate, proposeCandidates, withOneChangeLess } from '../../../src/evaluation/tuning/candidates.ts'
import { choose } from '../../../src/evaluation/tuning/choose.ts'
import { halve, rungsOf } from '../../../src/evaluation/tuning/halving.ts'
import { planFileText } from '../../../src/evaluation/tuning/plan-file.ts'
import { TUNED_VALUES } from '../../../src/evaluation/tuning/space.ts'
import { changePlan, readPlanChanges } from '../../../src/pipeline/plan/changes.ts'
import { planFingerprint } from '../../../src/pipeline/plan/derived.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'

const VALUES = Object.keys(TUNED_VALUES)
const { measured, design } = NAMED_PLANS
const propose = (seed: number, trials = 20, values = VALUES, start = measured) =>
  proposeCandidates(start, { trials, values, random: seededRandom(seed) })

describe('proposed plans', () => {
  it('differ from the start and from each other, in one to four of the given values', () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.subarray(VALUES, { minLength: 3 }),
        fc.constantFrom(measured, design),
        (seed, values, start) => {
          const candidates = propose(seed, 12, values, start)
          const prints = candidates.map(({ plan }) => planFingerprint(plan))
          expect(new Set([...prints, planFingerprint(start)]).size).toBe(candidates.length + 1)
          for (const { changes } of candidates) {
            const paths = Object.keys(changes)
            expect(paths.length).toBeGreaterThanOrEqual(1)
            expect(paths.length).toBeLessThanOrEqual(4)
            expect(values).toEqual(expect.arrayContaining(paths))
          }
        },
      ),
      { numRuns: 15 },
    )
  })

  it('are equal for equal seeds, and change every value sooner or later', () => {
    expect(propose(7)).toEqual(propose(7))
    expect(propose(7)).not.toEqual(propose(8))
    const changed = new Set(propose(1, 300).flatMap(({ changes }) => Object.keys(changes)))
    expect([...changed].sort()).toEqual([...VALUES].sort())
  })

  it('are fewer than wanted when there are no more', () => {
    expect(propose(1, 50, ['packing.mode'])).toHaveLength(1)
  })

  it('can lose one change each', () => {
    const [candidate] = propose(1, 50).filter(({ changes }) => Object.keys(changes).length === 3)
    if (!candidate) throw new Error('no candidate has three changes')
    const simpler = withOneChangeLess(measured, candidate)
    expect(simpler.map(({ changes }) => Object.keys(changes).length)).toEqual([2, 2, 2])
    for (const { changes } of simpler) expect(candidate.changes).toMatchObject(changes)
  })
})

describe('the plan file of a tuned plan', () => {
  it('gives the same plan when it is read again', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(measured, design), (seed, start) => {
        for (const { plan } of propose(seed, 5, VALUES, start)) {
          const { changes, faults } = readPlanChanges(JSON.parse(planFileText(plan)), 'file', null)
          expect(faults).toEqual([])
          if (changes) expect(changePlan(measured, changes)).toEqual(plan)
        }
      }),
      { numRuns: 15 },
    )
  })

  it('leaves out what a replay sets for itself', () => {
    const replayed = { ...measured, budgetTokens: 500, rerank: { ...measured.rerank, deadlineMs: 600_000 } }
    expect(JSON.parse(planFileText(replayed))).toEqual({ STOWAGE_PLAN: 'measured' })
  })
})

describe('successive halving', () => {
  it('ends on all queries, and begins with no fewer than twelve', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 2, max: 5_000 }), (trials, queries) => {
        const rungs = rungsOf(trials, queries)
        expect(rungs[0]?.candidates).toBe(trials)
        expect(rungs.at(-1)?.share).toBe(1)
        if (rungs.length > 1) expect(queries * (rungs[0]?.share ?? 0)).toBeGreaterThanOrEqual(11.999)
        for (const { candidates } of rungs) expect(candidates).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('finds the best of noiseless candidates, at a third of the cost of measuring all', async () => {
    let cost = 0
    const candidates = Array.from({ length: 81 }, (_, index) => (index * 37) % 81)
    const rungs = rungsOf(81, 1_000)
    const left = await halve(candidates, rungs, async (tried, share) => {
      cost += tried.length * share
      return tried
    })
    expect(left[0]).toBe(80)
    expect(cost).toBeLessThan(81 / 3)
  })
})

describe('the choice', () => {
  const candidate = (name: string, changes: number): Candidate => ({
    name,
    plan: measured,
    changes: Object.fromEntries(VALUES.slice(0, changes).map(path => [path, 'x'])),
  })
  const shifted = (by: number, noise: number, seed: number, n = 60) => {
    const random = seededRandom(seed)
    return [Array.from({ length: n }, () => by + noise * (random() - 0.5))]
  }

  it('keeps the start plan when nothing is better by more than one standard error', () => {
    expect(choose([])).toBeNull()
    expect(choose([{ candidate: candidate('same', 1), differences: [[0, 0, 0]] }])).toBeNull()
    expect(choose([{ candidate: candidate('worse', 1), differences: shifted(-0.2, 0.1, 1) }])).toBeNull()
    expect(choose([{ candidate: candidate('noise', 1), differences: [[0.5, -0.5, 0.5, -0.4]] }])).toBeNull()
  })

  it('takes the better plan when it is clearly better, and else the one with fewer changes', () => {
    const small = { candidate: candidate('small', 1), differences: shifted(0.1, 0.2, 1) }
    const large = { candidate: candidate('large', 3), differences: shifted(0.4, 0.2, 2) }
    const near = {
      candidate: candidate('near', 3),
      differences: [(small.differences[0] ?? []).map((value, at) => value + (at % 2 ? 0.05 : -0.049))],
    }
    expect(choose([small, large])?.name).toBe('large')
    expect(choose([near, small])?.name).toBe('small')
  })
})

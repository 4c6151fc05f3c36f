import { finish } from '../../../src/core/steps.ts'
import type { Candidate } from '../../../src/core/types.ts'
import { type SelectOptions, select } from '../../../src/pack/select.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { countWords } from '../../support/candidates.ts'
import { instanceOf } from './instances.ts'
import { massOf, optimalMasses, wordCosts } from './optimum.ts'

const INSTANCES = 150
const SIZE = { documents: 3, sections: 2, chunks: 5, chunkTokens: 80 }
/** Budgets as shares of the tokens of all chunks. */
const RATIOS = [0.1, 0.25, 0.5, 0.75]

/** Ways to fill, with the rules of the plan `measured` in all else. */
const FILLS = {
  packer: {},
  'greedy fill, then the cut item': { overflow: 'stop' },
  'plain greedy fill': { overflow: 'stop', sentenceCut: false },
} as const satisfies Record<string, Partial<SelectOptions>>

/** Shares of the optimum, in [0,1]. */
type Shares = {
  mean: number
  least: number
  'share at the optimum': number
}

/** Shares at one ratio of the budget to the tokens of all chunks; null for all ratios together. */
interface Row {
  fill: string
  ratio: number | null
  shares: Shares
}

/**
 * Relevance mass of ways to fill over that of the exact optimum with section options, on random instances, at budgets that are a share of the tokens of
 * all chunks. The question is unknown, so a run of sentences is the longest one that fits: its match with a question has no mass.
 */
export function sectionValue(): { instances: number; rows: Row[] } {
  const random = seededRandom(23)
  const problems = Array.from({ length: INSTANCES }, () => {
    const pool = instanceOf(random, SIZE)
    const total = pool.reduce((sum, { chunk }) => sum + countWords(chunk.text), 0)
    const budgets = RATIOS.map(ratio => Math.round(total * ratio))
    const optima = optimalMasses(pool, budgets)
    return RATIOS.map((ratio, at) => ({ pool, ratio, budget: budgets[at] ?? 0, optimum: optima[at] ?? 0 }))
  }).flat()
  const rows = Object.entries(FILLS).flatMap(([fill, how]) => {
    const filled = problems
      .filter(({ optimum }) => optimum > 0)
      .map(({ pool, ratio, budget, optimum }) => ({ ratio, share: filledMass(pool, budget, how) / optimum }))
    return [...RATIOS, null].map((ratio): Row => {
      const ofRatio = filled.filter(one => ratio === null || one.ratio === ratio)
      return { fill, ratio, shares: sharesOf(ofRatio.map(({ share }) => share)) }
    })
  })
  return { instances: INSTANCES, rows }
}

/** Relevance mass of what is selected. */
export function filledMass(pool: Candidate[], budgetTokens: number, how: Partial<SelectOptions>): number {
  const options = { ...NAMED_PLANS.measured.packing, maxChunks: null, budgetTokens, ...how }
  const { selected } = finish(select(pool, null, options, wordCosts(budgetTokens)))
  return selected.reduce((sum, { unit }) => sum + massOf(unit), 0)
}

function sharesOf(shares: readonly number[]): Shares {
  return {
    mean: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    least: Math.min(...shares),
    'share at the optimum': shares.filter(share => share > 0.9999).length / shares.length,
  }
}

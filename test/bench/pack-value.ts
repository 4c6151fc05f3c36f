import { finish } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { CostModel } from '../../src/pack/cost.ts'
import { RENDERERS } from '../../src/pack/render.ts'
import { type SelectOptions, select } from '../../src/pack/select.ts'
import { wholeChunk } from '../../src/pack/unit.ts'
import { byValue } from '../../src/rank/order.ts'
import { seededRandom } from '../../src/statistics/seeded-random.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { type Random, wordsOf } from './words.ts'

const INSTANCES = 200
const MOST = 14

/**
 * Relevance mass of the packer's choice over that of the exact optimum of whole chunks, on small random instances: mean, least, and
 * share at the optimum; beside it with the first chunk that does not fit cut to sentences (which may pass the optimum), and plain greedy fill.
 */
export function packValue(): {
  instances: number
  mean: number
  least: number
  optimal: number
  meanWithCut: number
  plainGreedyMean: number
} {
  const random = seededRandom(7)
  const ratios: number[] = []
  const withCut: number[] = []
  const greedy: number[] = []
  while (ratios.length < INSTANCES) {
    const pool = instance(random)
    const total = pool.reduce((sum, { chunk }) => sum + countWords(chunk.text), 0)
    const budget = Math.round(total * (0.25 + 0.5 * random()))
    const best = optimum(pool, budget)
    if (best === 0) continue
    ratios.push(massOf(pool, budget, { overflow: 'skip', sentenceCut: false }) / best)
    withCut.push(massOf(pool, budget, { overflow: 'skip', sentenceCut: true }) / best)
    greedy.push(massOf(pool, budget, { overflow: 'stop', sentenceCut: false }) / best)
  }
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    instances: ratios.length,
    mean: mean(ratios),
    least: Math.min(...ratios),
    optimal: ratios.filter(ratio => ratio > 0.9999).length / ratios.length,
    meanWithCut: mean(withCut),
    plainGreedyMean: mean(greedy),
  }
}

/** Up to 14 chunks of 40 to 320 words in a few documents, values falling as reranked values do. */
function instance(random: Random): Candidate[] {
  const size = 6 + Math.floor(random() * (MOST - 5))
  return Array.from({ length: size }, (_, id) => {
    const doc = Math.floor(random() * 5)
    return candidate(
      {
        id,
        docId: `d${doc}`,
        docTitle: `Doc ${doc}`,
        sectionPath: `Doc ${doc} > S${id % 3}`,
        orderIndex: id,
        text: wordsOf(random, 40 + Math.floor(random() * 280)),
      },
      random() ** 1.5,
    )
  }).sort(byValue)
}

function massOf(pool: Candidate[], budgetTokens: number, how: Pick<SelectOptions, 'overflow' | 'sentenceCut'>): number {
  const options: SelectOptions = {
    budgetTokens,
    maxChunks: null,
    mode: 'passage',
    maxOverflows: 6,
    documentCap: null,
    sectionCap: null,
    capMode: 'hard',
    noveltyAlpha: 0,
    repetition: 'off',
    ...how,
  }
  const cost = new CostModel(RENDERERS.markdown, inSteps(countWords), budgetTokens)
  const { selected } = finish(select(pool, null, options, cost))
  return selected.reduce(
    (sum, { unit, marginal }) => sum + marginal * countWords(unit.candidate.chunk.text.slice(unit.start, unit.end)),
    0,
  )
}

/** The best set of whole chunks by trying all of them, a branch cut only when even everything left could not beat the best. */
function optimum(pool: Candidate[], budget: number): number {
  const masses = pool.map(({ chunk, value }) => value * countWords(chunk.text))
  const rest = masses.map((_, index) => masses.slice(index).reduce((sum, mass) => sum + mass, 0))
  let best = 0
  const visit = (index: number, taken: Candidate[], mass: number) => {
    if (mass > best) best = mass
    const next = pool[index]
    if (!next || mass + (rest[index] ?? 0) <= best) return
    const cost = new CostModel(RENDERERS.markdown, inSteps(countWords), Number.POSITIVE_INFINITY)
    for (const unit of [...taken, next].map(wholeChunk)) cost.add(unit, finish(cost.costOf(unit)))
    if (cost.used <= budget) visit(index + 1, [...taken, next], mass + (masses[index] ?? 0))
    visit(index + 1, taken, mass)
  }
  visit(0, [], 0)
  return best
}

import { groupBy } from '../../../src/core/collections.ts'
import { finish } from '../../../src/core/steps.ts'
import type { Candidate } from '../../../src/core/types.ts'
import { CostModel } from '../../../src/pack/cost.ts'
import { RENDERERS } from '../../../src/pack/render.ts'
import { inReadingOrder, sectionOf, textOf, type Unit, wholeChunk } from '../../../src/pack/unit.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { countWords, inSteps } from '../../support/candidates.ts'

/** What of a section is packed. */
interface SectionOption {
  /** Relevance mass. */
  mass: number
  tokens: number
}

/** A cost model that counts words, as the packer of this yardstick does. */
export function wordCosts(budgetTokens: number): CostModel {
  return new CostModel(RENDERERS.markdown, inSteps(countWords), budgetTokens)
}

/** Relevance mass of a unit: the value of its chunk × its tokens, for a whole chunk as for a run of its sentences. */
export function massOf(unit: Unit): number {
  return unit.candidate.value * countWords(textOf(unit))
}

/** The runs of consecutive sentences of a chunk, without the whole chunk. */
export function sentenceRuns(candidate: Candidate): Unit[] {
  const sentences = splitSentences(candidate.chunk.text)
  const runs = sentences.flatMap(({ start }, from) =>
    sentences.slice(from).map(({ end }): Unit => ({ candidate, start, end, value: candidate.value })),
  )
  return runs.filter(({ start, end }) => start > 0 || end < candidate.chunk.text.length)
}

/**
 * The greatest relevance mass within each budget, when the packer may choose in each section: nothing, any of its chunks (so a run of them and the whole
 * section too), one run of sentences of one chunk, or both. Exact: all these options are listed, and a multiple-choice knapsack over their tokens is
 * solved by dynamic programming (Dudziński and Walukiewicz 1987). In Markdown, sections share no tokens, so the costs of their options add up.
 * @param budgets in tokens of `countWords`
 */
export function optimalMasses(pool: readonly Candidate[], budgets: readonly number[]): number[] {
  const most = Math.max(...budgets)
  // The greatest mass that costs at most so many tokens.
  let best = new Float64Array(most + 1)
  for (const chunks of groupBy(pool.map(wholeChunk), sectionOf).values()) {
    const options = undominated(optionsOf([...chunks].sort(inReadingOrder), most))
    const next = Float64Array.from(best)
    for (const { mass, tokens } of options)
      for (let budget = tokens; budget <= most; budget++)
        next[budget] = Math.max(next[budget] ?? 0, (best[budget - tokens] ?? 0) + mass)
    best = next
  }
  return budgets.map(budget => best[budget] ?? 0)
}

/** @param chunks of one section, whole, in reading order */
function optionsOf(chunks: readonly Unit[], most: number): SectionOption[] {
  const runs = chunks.map(({ candidate }) => sentenceRuns(candidate).map(run => ({ run, mass: massOf(run) })))
  const options: SectionOption[] = []
  for (let choice = 0; choice < 1 << chunks.length; choice++) {
    const isTaken = (at: number) => ((choice >> at) & 1) === 1
    const cost = wordCosts(most)
    let mass = 0
    for (const unit of chunks.filter((_, at) => isTaken(at))) {
      cost.add(unit, finish(cost.costOf(unit)))
      mass += massOf(unit)
    }
    if (cost.used > most) continue
    options.push({ mass, tokens: cost.used })
    for (const { run, mass: more } of runs.filter((_, at) => !isTaken(at)).flat())
      options.push({ mass: mass + more, tokens: cost.used + finish(cost.costOf(run)) })
  }
  return options.filter(({ tokens }) => tokens <= most)
}

/** Without the options that another one reaches at the same or lower cost. */
function undominated(options: readonly SectionOption[]): SectionOption[] {
  let best = 0
  return [...options]
    .sort((a, b) => a.tokens - b.tokens || b.mass - a.mass)
    .filter(({ mass }) => {
      const isBetter = mass > best
      if (isBetter) best = mass
      return isBetter
    })
}

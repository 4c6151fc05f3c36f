import type { Span } from '../../core/types.ts'
import type { ConsideredText } from '../metrics/measure-run.ts'
import { unionOf } from '../metrics/reference-words.ts'
import type { CandidateSet } from './candidates.ts'
import type { Coverage } from './coverage.ts'

/**
 * The gold passages in the best fill of a budget: an oracle that knows the gold passages packs nothing else. It takes them one by one, the
 * cheapest next, and of each candidate only the excerpt that holds the gold passage, so a packer that cuts chunks well can reach it. Text
 * counts once; source lines, and runs of words that cross from one chunk to the next, count nothing. For gold passages without common text this is the largest number that fits.
 * @param budgetTokens by `countTokens`
 */
export function bestFill(
  candidates: CandidateSet,
  coverage: Coverage,
  budgetTokens: number,
  countTokens: (text: string) => number,
): BestFill {
  const filled = new Map<ConsideredText, Filled>()
  const held = new Set<number>()
  const waiting = new Map(
    coverage.totals.flatMap((_, gold) => (candidates.holds(gold) ? [[gold, candidates.coverOf(gold)] as const] : [])),
  )
  const choices = choicesNow()
  const fitting = new Set(choices.filter(({ cost }) => cost <= budgetTokens).map(({ gold }) => gold))
  let left = budgetTokens
  for (let [cheapest] = choices; cheapest !== undefined && cheapest.cost <= left; [cheapest] = choicesNow()) {
    for (const { candidate, after } of cheapest.added) filled.set(candidate, after)
    left -= cheapest.cost
    held.add(cheapest.gold)
    waiting.delete(cheapest.gold)
  }
  return { held, fitting }

  /** What each of the other gold passages would add, the cheapest first. */
  function choicesNow() {
    const added = Array.from(waiting, ([gold, cover]) => ({
      gold,
      added: cover.map(candidate => withExcerpt(candidate, gold, filled.get(candidate) ?? NOTHING)),
    }))
    return added
      .map(one => ({ ...one, cost: one.added.reduce((sum, { cost }) => sum + cost, 0) }))
      .sort((first, second) => first.cost - second.cost)
  }

  /** What the excerpt of a gold passage adds to those of its candidate. */
  function withExcerpt(candidate: ConsideredText, gold: number, before: Filled) {
    const excerpt = coverage.excerptOf(candidate, gold)
    const ranges = unionOf(excerpt === null ? before.ranges : [...before.ranges, excerpt])
    const tokens = ranges.reduce((sum, { start, end }) => sum + countTokens(candidate.text.slice(start, end)), 0)
    return { candidate, cost: Math.max(0, tokens - before.tokens), after: { ranges, tokens } }
  }
}

export interface BestFill {
  /** The gold passages that are packed together. */
  held: ReadonlySet<number>
  /** Those that fit into the budget when each is packed alone. */
  fitting: ReadonlySet<number>
}

/** What is packed of a candidate. */
interface Filled {
  ranges: Span[]
  tokens: number
}

const NOTHING: Filled = { ranges: [], tokens: 0 }

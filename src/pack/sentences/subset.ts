import type { Steps } from '../../core/steps.ts'
import { SENTENCES_PER_STEP } from './units.ts'

/** One of items in a sequence of which some are taken. Those that follow each other are a run. */
export interface Item {
  worth: number
  tokens: number
  /** Tokens that come with it when it begins a run. */
  headTokens: number
  /** Whether it cannot end a run. */
  opens: boolean
  /** What is gained when it begins a run. */
  beginBonus: number
  /** What is gained when it ends a run. */
  endBonus: number
}

/** Of what stands between two runs. */
export interface Gap {
  tokens: number
  price: number
}

/** Tokens are counted in amounts of one or more, so that there are at most so many. */
const MOST_AMOUNTS = 1024

/** What the items so far end with: none is taken, the last one is left out, or it is taken. */
const STATES = ['none', 'left', 'taken'] as const
type State = (typeof STATES)[number]
const CODES: Record<State, number> = { none: 0, left: 1, taken: 2 }

/** The largest sums for at most so many amounts of tokens, by state; with none taken it is 0. */
interface Sums {
  left: Float64Array
  taken: Float64Array
}

/** The codes of the states before, for `left` and `taken`. */
type Origins = Record<'left' | 'taken', Uint8Array>

/**
 * The items with the largest sum of worth, bonuses and prices of gaps that cost at most `room` tokens: a 0/1 knapsack over a sequence, by dynamic programming. Costs are
 * rounded up to amounts of `room / 1024`, so it is exact for a room of up to 1,024 tokens, and never over the room.
 */
export function* bestSubset(items: readonly Item[], room: number, gap: Gap): Steps<Set<number>> {
  const amount = Math.max(1, Math.ceil(room / MOST_AMOUNTS))
  const most = Math.floor(room / amount)
  if (most <= 0) return new Set()
  const costs = items.map(item => costsOf(item, gap, amount))
  const origins: Origins[] = []
  let sums: Sums = { left: impossible(most), taken: impossible(most) }
  for (const [at, item] of items.entries()) {
    const step = stepTo(item, items[at - 1], costs[at] as Costs, gap, sums)
    sums = step.sums
    origins.push(step.origins)
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  const ended = (sums.taken[most] as number) + endOf(items.at(-1))
  const best = Math.max(sums.left[most] as number, ended, 0)
  return traceBack(origins, costs, most, best === 0 ? 'none' : best === ended ? 'taken' : 'left')
}

const impossible = (most: number) => new Float64Array(most + 1).fill(Number.NEGATIVE_INFINITY)

/** What is gained when a run ends with an item. */
const endOf = (item: Item | undefined): number => (item?.opens ? Number.NEGATIVE_INFINITY : (item?.endBonus ?? 0))

/** What an item costs in amounts, by the state before it. */
type Costs = Record<State, number>

function costsOf({ tokens, headTokens }: Item, gap: Gap, amount: number): Costs {
  const inAmounts = (all: number) => Math.max(1, Math.ceil(all / amount))
  return {
    none: inAmounts(tokens + headTokens),
    left: inAmounts(tokens + headTokens + gap.tokens),
    taken: inAmounts(tokens),
  }
}

function stepTo(
  item: Item,
  before: Item | undefined,
  costs: Costs,
  gap: Gap,
  { left, taken }: Sums,
): { sums: Sums; origins: Origins } {
  const wide = left.length
  const sums: Sums = { left: new Float64Array(wide), taken: new Float64Array(wide) }
  const origins: Origins = { left: new Uint8Array(wide), taken: new Uint8Array(wide) }
  const sumAt = (of: Float64Array, used: number) => (used < 0 ? Number.NEGATIVE_INFINITY : (of[used] as number))
  for (let used = 0; used < wide; used++) {
    const ended = sumAt(taken, used) + endOf(before)
    const stays = sumAt(left, used)
    sums.left[used] = Math.max(stays, ended)
    origins.left[used] = CODES[ended > stays ? 'taken' : 'left']
    const goesOn = sumAt(taken, used - costs.taken)
    const begins = used < costs.none ? Number.NEGATIVE_INFINITY : item.beginBonus
    const afterGap = sumAt(left, used - costs.left) - gap.price + item.beginBonus
    const best: State = goesOn >= Math.max(begins, afterGap) ? 'taken' : begins >= afterGap ? 'none' : 'left'
    sums.taken[used] = item.worth + Math.max(goesOn, begins, afterGap)
    origins.taken[used] = CODES[best]
  }
  return { sums, origins }
}

function traceBack(origins: readonly Origins[], costs: readonly Costs[], most: number, end: State): Set<number> {
  const chosen = new Set<number>()
  let [state, used]: [State, number] = [end, most]
  for (let at = origins.length - 1; at >= 0 && state !== 'none'; at--) {
    const before: State = STATES[origins[at]?.[state][used] ?? 0] ?? 'none'
    if (state === 'taken') {
      chosen.add(at)
      used -= costs[at]?.[before] ?? 0
    }
    state = before
  }
  return chosen
}

import type { Steps } from '../../core/steps.ts'
import { SENTENCES_PER_STEP } from './units.ts'

/** One of items in a sequence of which some are taken. Those that follow each other are a run. */
export interface Item {
  worth: number
  tokens: number
  /** Tokens that come with it when it begins a run. */
  headTokens: number
  /** The same number for neighbours that need the same head, and for the head: behind one of them that is taken, the others begin a run without `headTokens`. Null: nobody shares its head. */
  frame: number | null
  /** Whether it cannot end a run. */
  opens: boolean
  /** What is gained when it begins a run. */
  beginBonus: number
  /** What is gained when it ends a run. */
  endBonus: number
}

/** Of what stands between two runs. */
interface Gap {
  tokens: number
  price: number
}

/** Tokens are counted in amounts of one or more, so that there are at most so many. */
const MOST_AMOUNTS = 1024

/** What the items so far end with: none is taken; the last one is left out, without or with the head of its frame; or it is taken. */
const STATES = ['none', 'left', 'framed', 'taken'] as const
type State = (typeof STATES)[number]
type Begun = Exclude<State, 'none'>
const CODES: Record<State, number> = { none: 0, left: 1, framed: 2, taken: 3 }

/** The largest sums for at most so many amounts of tokens, by state; with none taken it is 0. */
type Sums = Record<Begun, Float64Array>

/** The codes of the states before. */
type Origins = Record<Begun, Uint8Array>

/**
 * The items with the largest sum of worth, bonuses and prices of gaps that cost at most `room` tokens: a 0/1 knapsack over a sequence, by dynamic programming. Costs are
 * rounded up to amounts of `room / 1024`, so it is exact for a room of up to 1,024 tokens, and never over the room.
 */
export function* bestSubset(items: readonly Item[], room: number, gap: Gap): Steps<Set<number>> {
  const amount = Math.max(1, Math.ceil(room / MOST_AMOUNTS))
  const most = Math.floor(room / amount)
  if (most <= 0) return new Set()
  const costs = items.map((item, at) => costsOf(item, items[at - 1], gap, amount))
  const origins: Origins[] = []
  let sums: Sums = { left: impossible(most), framed: impossible(most), taken: impossible(most) }
  for (const [at, item] of items.entries()) {
    const step = stepTo(item, items[at - 1], costs[at] as Costs, gap, sums)
    sums = step.sums
    origins.push(step.origins)
    if (at % SENTENCES_PER_STEP === 0) yield
  }
  const ended = (sums.taken[most] as number) + endOf(items.at(-1))
  const [left, framed] = [sums.left[most] as number, sums.framed[most] as number]
  const best = Math.max(left, framed, ended, 0)
  const end = best === 0 ? 'none' : best === ended ? 'taken' : best === framed ? 'framed' : 'left'
  return traceBack(origins, costs, most, end)
}

const impossible = (most: number) => new Float64Array(most + 1).fill(Number.NEGATIVE_INFINITY)

/** What is gained when a run ends with an item. */
const endOf = (item: Item | undefined): number => (item?.opens ? Number.NEGATIVE_INFINITY : (item?.endBonus ?? 0))

/** Whether the head of the item before is that of an item. */
const isInFrameOf = (before: Item | undefined, { frame }: Item): boolean => frame !== null && frame === before?.frame

/** What an item costs in amounts, by the state before it. */
type Costs = Record<State, number>

function costsOf(item: Item, before: Item | undefined, gap: Gap, amount: number): Costs {
  const { tokens, headTokens } = item
  const inAmounts = (all: number) => Math.max(1, Math.ceil(all / amount))
  return {
    none: inAmounts(tokens + headTokens),
    left: inAmounts(tokens + headTokens + gap.tokens),
    framed: inAmounts(tokens + (isInFrameOf(before, item) ? 0 : headTokens) + gap.tokens),
    taken: inAmounts(tokens),
  }
}

function stepTo(
  item: Item,
  before: Item | undefined,
  costs: Costs,
  gap: Gap,
  { left, framed, taken }: Sums,
): { sums: Sums; origins: Origins } {
  const wide = left.length
  const sums: Sums = { left: impossible(wide - 1), framed: impossible(wide - 1), taken: impossible(wide - 1) }
  const origins: Origins = { left: new Uint8Array(wide), framed: new Uint8Array(wide), taken: new Uint8Array(wide) }
  const sumAt = (of: Float64Array, used: number) => (used < 0 ? Number.NEGATIVE_INFINITY : (of[used] as number))
  const inFrame = isInFrameOf(before, item)
  const atEnd = endOf(before)
  const begun = item.worth + item.beginBonus
  for (let used = 0; used < wide; used++) {
    const stays = sumAt(left, used)
    const [heldHead, ended] = [sumAt(framed, used), sumAt(taken, used) + atEnd]
    // Both leave the item out, in the frame of the one before or outside of it.
    const leaves = Math.max(heldHead, ended)
    const from = ended >= heldHead ? 'taken' : 'framed'
    sums.left[used] = inFrame ? stays : Math.max(stays, leaves)
    origins.left[used] = CODES[inFrame || stays >= leaves ? 'left' : from]
    if (inFrame) sums.framed[used] = leaves
    origins.framed[used] = CODES[from]
    const goesOn = sumAt(taken, used - costs.taken) + item.worth
    const begins = used < costs.none ? Number.NEGATIVE_INFINITY : begun
    const afterGap = sumAt(left, used - costs.left) - gap.price + begun
    const inSame = sumAt(framed, used - costs.framed) - gap.price + begun
    const best = Math.max(goesOn, begins, afterGap, inSame)
    const origin = best === goesOn ? 'taken' : best === begins ? 'none' : best === inSame ? 'framed' : 'left'
    sums.taken[used] = best
    origins.taken[used] = CODES[origin]
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

import { groupBy } from '../core/collections.ts'
import { parentKey, pointKey } from '../core/keys.ts'
import { type Steps, TimeUp } from '../core/steps.ts'
import type { Candidate, Chunk, ContextOrder, Dropped } from '../core/types.ts'
import type { CostModel } from './cost.ts'
import { type Selected, weakestOf } from './select.ts'
import { wholeChunk } from './unit.ts'

/** Least packed chunks of a parent that it can replace. */
export const LEAST_CHILDREN = 2

export interface ParentExpansionOptions {
  budgetTokens: number
  order: ContextOrder
  /** Least share of a parent's tokens in its packed chunks, in [0,1]; null is off. */
  parentExpansion: number | null
  /** The parents that are known, by the keys of their points. */
  parents?: ReadonlyMap<string, Chunk>
  /** For the order `stable`: the turn that first packed a candidate, by its key. */
  previous?: ReadonlyMap<string, number>
}

/** What is packed, and what is not. */
export interface Choice {
  selected: Selected[]
  dropped: Dropped[]
}

/**
 * Replaces packed chunks by their parent, one parent after the other, the best first. A parent replaces its chunks when two or more of
 * them are packed, when these hold the least share of its tokens, and when the budget allows it. Filling leaves few tokens over, so
 * chunks give way whose marginal value is below the mean value of the parent's tokens: the value of its best chunk times the share
 * that is packed already. When the time is up, it ends with the parents so far.
 * @param newCost makes a cost model without units
 * @returns the choice as it was, then one choice for each parent that was added
 */
export function* expandToParents(
  choice: Choice,
  options: ParentExpansionOptions,
  newCost: () => CostModel,
): Steps<Choice[]> {
  const choices = [choice]
  if (options.parentExpansion === null || options.parents === undefined) return choices
  const known = new Set([...choice.selected.map(({ unit }) => unit), ...choice.dropped].map(one => one.candidate.key))
  const families = groupBy(choice.selected, ({ unit }) => parentKey(unit.candidate.chunk))
  try {
    for (const [key] of [...families].sort(([, left], [, right]) => bestOf(right) - bestOf(left))) {
      const parent = key === null || known.has(key) ? undefined : options.parents.get(key)
      const latest = choices.at(-1)
      if (parent === undefined || latest === undefined) continue
      const expanded = yield* expandTo(parent, latest, options, options.parentExpansion, newCost())
      if (expanded !== null) choices.push(expanded)
      yield
    }
  } catch (error) {
    if (!(error instanceof TimeUp)) throw error
  }
  return choices
}

/** The choice with the parent in place of its chunks; null when it does not replace them. */
function* expandTo(
  parent: Chunk,
  { selected, dropped }: Choice,
  { budgetTokens, order, previous }: ParentExpansionOptions,
  leastShare: number,
  cost: CostModel,
): Steps<Choice | null> {
  const key = pointKey(parent)
  const isOwn = ({ chunk }: Candidate) => parentKey(chunk) === key
  const own = selected.filter(({ unit }) => isOwn(unit.candidate))
  const others = selected.filter(({ unit }) => !isOwn(unit.candidate))
  const children = distinctCandidates(own)
  if (children.length < LEAST_CHILDREN || !children.every(({ chunk }) => liesIn(chunk, parent))) return null
  // The prefix of an earlier turn stays as it is.
  if (order === 'stable' && children.some(child => previous?.has(child.key))) return null

  const unit = wholeChunk(parentCandidate(parent, children))
  for (const other of others) cost.add(other.unit, other.tokens)
  const tokens = yield* cost.costOf(unit)
  const share = Math.min(1, sumOfTokens(own) / tokens)
  if (share < leastShare) return null
  const excess = cost.used + tokens - budgetTokens
  const weaker = others.filter(
    one => one.unit.candidate.origin !== 'parent' && one.marginal < share * unit.candidate.value,
  )
  const gone = weakestOf(weaker, excess)
  if (sumOfTokens(gone) < excess) return null

  const kept = others.filter(one => !gone.includes(one))
  const remaining = new Set(kept.map(one => one.unit.candidate.key))
  const replaced = (candidate: Candidate): Dropped => {
    return { candidate, reason: 'replaced_by_parent', evidence: { of: key } }
  }
  const gaveWay = (candidate: Candidate): Dropped => {
    const evidence = { of: key, short_by_tokens: excess, detail: 'gave way to a parent' }
    return { candidate, reason: 'over_budget', evidence }
  }
  const isPart = ({ candidate }: Dropped) => isOwn(candidate) && liesIn(candidate.chunk, parent)
  return {
    selected: [...kept, { unit, marginal: bestOf(own), tokens }],
    dropped: [
      ...dropped.map(drop => (isPart(drop) ? replaced(drop.candidate) : drop)),
      ...children.map(replaced),
      ...distinctCandidates(gone)
        .filter(({ key }) => !remaining.has(key))
        .map(gaveWay),
    ],
  }
}

/**
 * Whether the text of a chunk stands at its place in a parent. A part of a table has the head of the table in front, which must be in the
 * parent, too.
 */
function liesIn({ docId, charStart, charEnd, text }: Chunk, parent: Chunk): boolean {
  if (docId !== parent.docId || charStart === null || charEnd === null || parent.charStart === null) return false
  const start = charStart - parent.charStart
  const range = start < 0 ? '' : parent.text.slice(start, charEnd - parent.charStart)
  if (range === '' || range.length !== charEnd - charStart || !text.endsWith(range)) return false
  return parent.text.includes(text.slice(0, text.length - range.length).trim())
}

/** A parent stands at the place of its first packed child, and has the figures of the best one. */
function parentCandidate(parent: Chunk, children: readonly Candidate[]): Candidate {
  const [best] = [...children].sort((left, right) => right.value - left.value)
  if (best === undefined) throw new RangeError('a parent without children has no value')
  const { vector, textStart, ...figures } = best
  const places = children.flatMap(({ chunk }) => chunk.orderIndex ?? [])
  const orderIndex = places.length === 0 ? null : Math.min(...places)
  return { ...figures, key: pointKey(parent), chunk: { ...parent, orderIndex }, origin: 'parent', signals: [] }
}

function distinctCandidates(units: readonly Selected[]): Candidate[] {
  return [...new Map(units.map(({ unit: { candidate } }) => [candidate.key, candidate])).values()]
}

const sumOfTokens = (units: readonly Selected[]): number => units.reduce((sum, { tokens }) => sum + tokens, 0)
const bestOf = (units: readonly Selected[]): number => Math.max(...units.map(({ marginal }) => marginal))

import { longestPrefix } from '../core/prefix.ts'
import type { Candidate, Dropped } from '../core/types.ts'
import { CapCounter, type CapOptions, subjectDocument } from './caps.ts'
import type { CostModel } from './cost.ts'
import { sentenceUnits } from './sentence-units.ts'
import { type Unit, wholeChunk } from './unit.ts'
import { UnitQueue } from './unit-queue.ts'

export interface SelectOptions extends CapOptions {
  budgetTokens: number
  /** Most chunks; null is no limit. */
  maxChunks: number | null
  /** Fill with whole chunks or with sentences. */
  mode: 'passage' | 'sentence'
  /** At a chunk that does not fit: try the next one, stop, or truncate its text. */
  overflow: 'skip' | 'stop' | 'truncate'
  /** For `skip`: number of chunks that do not fit after which filling ends. */
  maxOverflows: number
  /** Whether the first chunk that does not fit is cut to its best sentences. */
  sentenceCut: boolean
  /** At a chunk over a cap: drop it, or halve its value. */
  capMode: 'hard' | 'soft'
  /** Share of the value that a unit loses when all of its words are packed already, in [0,1]. */
  noveltyAlpha: number
}

/** A selected unit with its marginal value: its value when it was selected. */
export interface Selected {
  unit: Unit
  marginal: number
}

interface Selection {
  /** In the order of selection. */
  selected: Selected[]
  dropped: Dropped[]
}

/** Sentence cutting ends when fewer tokens than this are left: so short a sentence is not worth a gap mark. */
const LEAST_ROOM = 15
/** Factor on the value of a chunk over a soft cap. */
const SOFT_CAP = 0.5

/**
 * Fills the budget greedily by marginal value.
 *
 * The value of a context is its relevance mass: Σ marginal value × tokens. The value of a candidate estimates how likely each of
 * its tokens is evidence, so filling by value is greedy by density, and cutting the first chunk that does not fit is the last item
 * of the fractional knapsack (Dantzig 1957). Filling by value per token would prefer tiny chunks.
 *
 * @param candidates in the order of filling; `noveltyAlpha` and soft caps change this order
 */
export function select(
  candidates: readonly Candidate[],
  query: string | null,
  options: SelectOptions,
  cost: CostModel,
): Selection {
  const { budgetTokens, maxChunks, overflow, maxOverflows } = options
  const units = options.mode === 'sentence' ? sentenceUnits(candidates, query) : candidates.map(wholeChunk)
  const queue = new UnitQueue(units, options.noveltyAlpha)
  const caps = new CapCounter(options, subjectDocument(candidates, query))
  const selected: Selected[] = []
  const packedKeys = new Set<string>()
  const drops = new Map<string, Dropped>()
  const overflowing: Candidate[] = []

  function take(unit: Unit, marginal: number): void {
    const { candidate } = unit
    cost.add(unit)
    queue.addPackedWords(unit)
    if (!packedKeys.has(candidate.key)) caps.add(candidate)
    packedKeys.add(candidate.key)
    drops.delete(candidate.key)
    selected.push({ unit, marginal })
  }

  /** Keeps the first reason of a candidate. A candidate with a selected sentence is not dropped. */
  function drop(candidate: Candidate, reason: Dropped['reason'], evidence: Dropped['evidence']): void {
    const { key } = candidate
    if (!packedKeys.has(key) && !drops.has(key)) drops.set(key, { candidate, reason, evidence })
  }

  for (let next = queue.next(); next !== null; next = queue.next()) {
    const { unit, marginal, isPutBack } = next
    const { candidate } = unit
    const isNew = !packedKeys.has(candidate.key)
    const overflows = overflowing.length
    if (isNew && maxChunks !== null && packedKeys.size >= maxChunks) {
      drop(candidate, 'low_value', { cap: maxChunks, detail: 'chunk limit reached' })
      continue
    }
    if (overflows > 0 && (overflow !== 'skip' || overflows >= maxOverflows)) {
      const detail = `not tried: filling ended after ${overflows} chunks that did not fit`
      drop(candidate, 'low_value', { detail })
      continue
    }
    const exceeded = isNew ? caps.exceeded(candidate) : null
    if (exceeded && options.capMode === 'hard') {
      drop(candidate, exceeded.reason, { cap: exceeded.cap })
      continue
    }
    if (exceeded && !isPutBack) {
      queue.putBack(unit, marginal * SOFT_CAP)
      continue
    }
    const missing = cost.used + cost.costOf(unit) - budgetTokens
    if (missing <= 0) {
      take(unit, marginal)
      continue
    }
    drop(candidate, 'over_budget', { short_by_tokens: missing })
    // A chunk that does not fit means that the budget is nearly full; a sentence that does not fit may only be long.
    if (options.mode === 'passage') overflowing.push(candidate)
  }

  const [first] = overflowing
  if (first) {
    const cut = overflow === 'truncate' ? longestStart : options.sentenceCut ? bestSentences : null
    for (const unit of cut?.(first, query, budgetTokens, cost) ?? []) take(unit, unit.value)
  }
  return { selected, dropped: [...drops.values()] }
}

/** Yields the sentences of a chunk that fit, best first. The caller adds each one to `cost` before it asks for the next. */
function* bestSentences(candidate: Candidate, query: string | null, budget: number, cost: CostModel): Generator<Unit> {
  for (const unit of sentenceUnits([candidate], query)) {
    if (budget - cost.used < LEAST_ROOM) return
    if (cost.used + cost.costOf(unit) <= budget) yield { ...unit, value: candidate.value }
  }
}

/** Yields the longest start of a chunk that fits, even if it ends inside a word. A baseline for replays. */
function* longestStart(candidate: Candidate, _query: string | null, budget: number, cost: CostModel): Generator<Unit> {
  const startOf = (end: number): Unit => ({ ...wholeChunk(candidate), end })
  const fits = (prefix: string) => cost.used + cost.costOf(startOf(prefix.length)) <= budget
  const { length } = longestPrefix(candidate.chunk.text, fits)
  if (length > 0) yield startOf(length)
}

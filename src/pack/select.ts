import { longestPrefix } from '../core/prefix.ts'
import type { Candidate, Dropped } from '../core/types.ts'
import { rawWords } from '../text/terms.ts'
import { CapCounter, type CapOptions, subjectDocument } from './caps.ts'
import type { CostModel } from './cost.ts'
import { sentenceUnits } from './sentence-units.ts'
import { textOf, type Unit, wholeChunk } from './unit.ts'

export interface SelectOptions extends CapOptions {
  /** Tokens. */
  budget: number
  /** Most chunks; null is no limit. */
  maxChunks: number | null
  mode: 'passage' | 'sentence'
  /** At a unit that does not fit: try the next one, stop, or truncate its text. */
  overflow: 'skip' | 'stop' | 'truncate'
  /** Chunks that do not fit after which filling ends. */
  maxOverflows: number
  /** Cut the first chunk that does not fit to its best sentences. */
  sentenceCut: boolean
  capMode: 'hard' | 'soft'
  /** Share of value lost when all of a unit's words are packed already, in [0,1]. */
  noveltyAlpha: number
}

/** A unit that is in, with what it was worth when it came in. */
export interface Selected {
  unit: Unit
  marginal: number
}

interface Selection {
  selected: Selected[]
  dropped: Dropped[]
}

/** A sentence is not worth a gap mark when fewer tokens than this are left. */
const LEAST_ROOM = 15
/** What each chunk over a soft cap is multiplied by. */
const SOFT_CAP = 0.5

/**
 * Fills the budget greedily by marginal value, skipping what does not fit.
 *
 * The value of a context is its relevance mass: Σ marginal value × tokens, since a candidate's value stands for how likely each of its
 * tokens is evidence. Taking units by value is then greedy by density, and cutting the first chunk that does not fit is the last item of the fractional
 * knapsack (Dantzig 1957): mass per token, not mass per unit, which would prefer tiny chunks.
 *
 * @param candidates in the order to fill by (values break nothing here unless noveltyAlpha or soft caps re-order)
 */
export function select(
  candidates: readonly Candidate[],
  query: string | null,
  options: SelectOptions,
  cost: CostModel,
): Selection {
  const caps = new CapCounter(options, subjectDocument(candidates, query))
  const allowed = new Set<string>()
  const refused = new Map<string, Dropped>()
  const selected: Selected[] = []
  const queue = new UnitQueue(unitsOf(candidates, query, options), options.noveltyAlpha)
  let overflows = 0
  let firstOverflow: Candidate | null = null

  const capDrop = (candidate: Candidate): Dropped | null => {
    if (allowed.has(candidate.key)) return null
    const cap = caps.against(candidate)
    return cap ? { candidate, reason: cap.reason, evidence: { cap: cap.cap } } : null
  }
  const take = (unit: Unit, marginal: number) => {
    cost.add(unit)
    queue.pack(unit)
    if (!allowed.has(unit.candidate.key)) caps.add(unit.candidate)
    allowed.add(unit.candidate.key)
    refused.delete(unit.candidate.key)
    selected.push({ unit, marginal })
  }
  const refuse = (drop: Dropped) => {
    if (!allowed.has(drop.candidate.key) && !refused.has(drop.candidate.key)) refused.set(drop.candidate.key, drop)
  }

  for (let next = queue.take(); next !== null; next = queue.take()) {
    const { unit, marginal } = next
    const { candidate } = unit
    if (options.maxChunks !== null && allowed.size >= options.maxChunks && !allowed.has(candidate.key)) {
      refuse({ candidate, reason: 'low_value', evidence: { cap: options.maxChunks, detail: 'chunk limit reached' } })
      continue
    }
    if (overflows > 0 && (options.overflow !== 'skip' || overflows >= options.maxOverflows)) {
      refuse({
        candidate,
        reason: 'low_value',
        evidence: { detail: `not tried: filling ended after ${overflows} chunks that did not fit` },
      })
      continue
    }
    const capped = capDrop(candidate)
    if (capped && options.capMode === 'hard') {
      refuse(capped)
      continue
    }
    if (capped && !next.softened) {
      queue.putBack(unit, marginal * SOFT_CAP)
      continue
    }
    const short = cost.used + cost.costOf(unit) - options.budget
    if (short <= 0) {
      take(unit, marginal)
      continue
    }
    refuse({ candidate, reason: 'over_budget', evidence: { short_by_tokens: short } })
    // A sentence that does not fit says little of the next one; a chunk that does not fit says that the budget is nearly full.
    if (options.mode === 'passage') overflows++
    firstOverflow ??= candidate
  }
  if (firstOverflow && options.mode === 'passage') {
    const fill = options.overflow === 'truncate' ? truncated : options.sentenceCut ? bestSentences : null
    for (const unit of fill?.(firstOverflow, query, options.budget, cost) ?? []) take(unit, unit.value)
  }
  return { selected, dropped: [...refused.values()] }
}

function unitsOf(candidates: readonly Candidate[], query: string | null, { mode }: SelectOptions): Unit[] {
  return mode === 'sentence' ? sentenceUnits(candidates, query) : candidates.map(wholeChunk)
}

/** The best sentences of a chunk that does not fit, as far as they fit, best match first. */
function* bestSentences(candidate: Candidate, query: string | null, budget: number, cost: CostModel): Generator<Unit> {
  for (const unit of sentenceUnits([candidate], query)) {
    if (budget - cost.used < LEAST_ROOM) return
    if (cost.used + cost.costOf(unit) <= budget) yield { ...unit, value: candidate.value }
  }
}

/** The longest prefix of a chunk that fits, wherever it ends. The audit found this; it is kept as a baseline. */
function* truncated(candidate: Candidate, _query: string | null, budget: number, cost: CostModel): Generator<Unit> {
  const unitTo = (end: number): Unit => ({ candidate, start: 0, end, value: candidate.value })
  const fits = (prefix: string) => cost.used + cost.costOf(unitTo(prefix.length)) <= budget
  const { length } = longestPrefix(candidate.chunk.text, fits)
  if (length > 0) yield unitTo(length)
}

/** Units in the order to try them: as given, or by marginal value when novelty counts. */
class UnitQueue {
  private readonly waiting: { unit: Unit; value: number; words: ReadonlySet<string>; softened: boolean }[]
  private readonly packed = new Set<string>()
  private readonly alpha: number
  private reorder: boolean

  constructor(units: readonly Unit[], alpha: number) {
    this.alpha = alpha
    this.reorder = alpha > 0
    this.waiting = units.map(unit => ({
      unit,
      value: unit.value,
      words: new Set(alpha > 0 ? rawWords(textOf(unit)) : []),
      softened: false,
    }))
  }

  take(): { unit: Unit; marginal: number; softened: boolean } | null {
    let at = 0
    if (this.reorder) {
      for (let index = 1; index < this.waiting.length; index++)
        if (this.marginalAt(index) > this.marginalAt(at)) at = index
    }
    const marginal = this.marginalAt(at)
    const [next] = this.waiting.splice(at, 1)
    return next ? { unit: next.unit, marginal, softened: next.softened } : null
  }

  putBack(unit: Unit, value: number): void {
    this.reorder = true
    this.waiting.push({ unit, value, words: new Set(), softened: true })
  }

  pack(unit: Unit): void {
    if (this.alpha === 0) return
    for (const word of rawWords(textOf(unit))) this.packed.add(word)
  }

  /** value × (1 − α × share of its words that are packed already). */
  private marginalAt(index: number): number {
    const entry = this.waiting[index]
    if (!entry) return 0
    if (this.alpha === 0 || entry.words.size === 0) return entry.value
    let known = 0
    for (const word of entry.words) if (this.packed.has(word)) known++
    return entry.value * (1 - (this.alpha * known) / entry.words.size)
  }
}

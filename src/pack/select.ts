import { longestPrefixInSteps } from '../core/prefix.ts'
import { type Steps, TimeUp } from '../core/steps.ts'
import type { Candidate, Dropped, Span } from '../core/types.ts'
import { hasNamedEntry } from '../rank/answerability/answerability.ts'
import { CapCounter, type CapOptions, subjectDocument } from './caps.ts'
import type { CostModel } from './cost.ts'
import { raiseHolders } from './repetition/holders.ts'
import { PackedSentences, type RepetitionScope } from './repetition/packed-sentences.ts'
import { bestWindow } from './sentences/best-run.ts'
import { bestSentences } from './sentences/best-set.ts'
import { sentenceUnits } from './sentences/units.ts'
import { textOf, type Unit, wholeChunk } from './unit.ts'
import { type QueuedUnit, UnitQueue } from './unit-queue.ts'

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
  /** Whether the best chunk that does not fit, one that fits nearly, and the first three others at the end are cut to their best sentences. */
  sentenceCut: boolean
  /** At a chunk over a cap: drop it, or halve its value. */
  capMode: 'hard' | 'soft'
  /** Share of the value that a unit loses when all of its words are packed already, in [0,1]. */
  noveltyAlpha: number
  /** Where a sentence that is packed is not packed again. */
  repetition: RepetitionScope
  /** Whether the question asks how something is done; then a chunk that is cut keeps the steps of its procedure together. Absent: it does not. */
  asksForSteps?: boolean
  /** How well the sentences of a chunk match the question, by the key of the candidate, as logits; of those without, the words choose. */
  sentenceMatches?: ReadonlyMap<string, readonly number[]>
}

/** A selected unit with its marginal value: its value when it was selected. */
export interface Selected {
  unit: Unit
  marginal: number
  /** Estimated tokens that it added. */
  tokens: number
  /** Keys of the candidates that hold what was left out of its chunk, because it is packed. */
  holders?: ReadonlySet<string> | undefined
}

/** The units with the lowest marginal values, of equals the last selected, until they have so many tokens. */
export function weakestOf(
  selected: readonly Selected[],
  wanted: number,
  tokensOf = ({ tokens }: Selected): number => tokens,
): Selected[] {
  const weakest: Selected[] = []
  let saved = 0
  for (const unit of [...selected].reverse().sort((left, right) => left.marginal - right.marginal)) {
    if (saved >= wanted) break
    weakest.push(unit)
    saved += tokensOf(unit)
  }
  return weakest
}

interface Selection {
  /** In the order of selection. */
  selected: Selected[]
  dropped: Dropped[]
  /** Whether the time was up before the end. */
  isLate: boolean
}

/** With fewer tokens left, no chunk is cut: so short a text is not worth a source line. */
const LEAST_ROOM = 15
/** Fewer tokens of a cut chunk are not worth one either, unless it is the best chunk. */
const LEAST_TEXT = 8
/** The first chunk that does not fit is cut at once when at least this share of it fits: chunks behind it are worth less. */
const NEARLY_WHOLE = 0.9
/** Most chunks that are tried to be cut at the end. */
export const MOST_CUT = 3
/** Factor on the value of a chunk over a soft cap. */
const SOFT_CAP = 0.5

/**
 * Fills the budget greedily by marginal value.
 *
 * The value of a context is its relevance mass: Σ marginal value × tokens. The value of a candidate estimates how likely each of
 * its tokens is evidence, so filling by value is greedy by density, and cutting the first chunk that does not fit is the last item
 * of the fractional knapsack (Dantzig 1957). Filling by value per token would prefer tiny chunks. Smaller chunks come before that cut,
 * unless nearly all of the chunk fits: this has less mass, but a cut chunk may have lost the answer.
 *
 * When its time is up, it ends with what is selected so far; candidates that were not tried are dropped as `deadline`.
 *
 * @param candidates in the order of filling; `noveltyAlpha` and soft caps change this order
 */
export function* select(
  candidates: readonly Candidate[],
  query: string | null,
  options: SelectOptions,
  cost: CostModel,
): Steps<Selection> {
  const filling = new Filling(candidates, query, options, cost)
  let isLate = false
  try {
    yield* filling.fill()
    yield* filling.cutOverflow()
  } catch (error) {
    if (!(error instanceof TimeUp)) throw error
    isLate = true
  }
  for (const candidate of candidates) {
    if (isLate) filling.drop(candidate, 'deadline', {})
    else filling.drop(candidate, 'low_value', { detail: 'not tried: too many sentences before it' })
  }
  return { selected: raiseHolders(filling.selected), dropped: [...filling.drops.values()], isLate }
}

const headKey = ({ candidate }: Unit, { start }: Span): string => `${candidate.key} ${start}`

class Filling {
  readonly selected: Selected[] = []
  readonly drops = new Map<string, Dropped>()
  private readonly packedKeys = new Set<string>()
  /** Candidates that did not fit, in the order of filling. */
  private readonly overflowing: Candidate[] = []
  private readonly candidates: readonly Candidate[]
  private readonly query: string | null
  private readonly options: SelectOptions
  private readonly cost: CostModel
  private readonly queue: UnitQueue
  private readonly caps: CapCounter
  private readonly sentences: PackedSentences
  /** Candidates and places of the heads of tables that are selected for their rows. */
  private readonly heads = new Set<string>()

  constructor(candidates: readonly Candidate[], query: string | null, options: SelectOptions, cost: CostModel) {
    this.candidates = candidates
    this.query = query
    this.options = options
    this.cost = cost
    this.queue = new UnitQueue(options.noveltyAlpha)
    this.caps = new CapCounter(options, subjectDocument(candidates, query))
    this.sentences = new PackedSentences(options.repetition)
  }

  *fill(): Steps<void> {
    const { candidates, query, options, queue } = this
    yield* queue.add(options.mode === 'sentence' ? yield* sentenceUnits(candidates, query) : candidates.map(wholeChunk))
    for (let next = yield* queue.next(); next !== null; next = yield* queue.next()) {
      yield* this.tryUnit(next)
      yield
    }
  }

  /** Cuts chunks that do not fit, as the options say: the first one to its start, or the first three to sentences while there is room. */
  *cutOverflow(): Steps<void> {
    const { maxChunks, overflow, sentenceCut } = this.options
    for (const candidate of this.overflowing.slice(0, overflow === 'truncate' ? 1 : MOST_CUT)) {
      if (maxChunks !== null && this.packedKeys.size >= maxChunks) return
      if (overflow === 'truncate') yield* this.takeLongestStart(candidate)
      else if (sentenceCut) yield* this.takeBestWindow(candidate)
    }
  }

  /** Keeps the first reason of a candidate. A candidate with a selected sentence is not dropped. */
  drop(candidate: Candidate, reason: Dropped['reason'], evidence: Dropped['evidence']): void {
    const { key } = candidate
    if (!this.packedKeys.has(key) && !this.drops.has(key)) this.drops.set(key, { candidate, reason, evidence })
  }

  private *tryUnit(next: QueuedUnit): Steps<void> {
    const { maxChunks, overflow, maxOverflows, sentenceCut, capMode, mode } = this.options
    const { unit, marginal, isPutBack } = next
    const { candidate } = unit
    const isNew = !this.packedKeys.has(candidate.key)
    const overflows = this.overflowing.length
    if (isNew && maxChunks !== null && this.packedKeys.size >= maxChunks)
      return this.drop(candidate, 'low_value', { cap: maxChunks, detail: 'chunk limit reached' })
    if (overflows > 0 && (overflow !== 'skip' || overflows >= maxOverflows)) {
      const detail = `not tried: filling ended after ${overflows} chunks that did not fit`
      return this.drop(candidate, 'low_value', { detail })
    }
    const exceeded = isNew ? this.caps.exceeded(candidate) : null
    if (exceeded && capMode === 'hard') return this.drop(candidate, exceeded.reason, { cap: exceeded.cap })
    if (exceeded && !isPutBack) return this.queue.putBack(next, marginal * SOFT_CAP)
    const missing = yield* this.takeFresh(unit, marginal)
    if (missing <= 0) return this.queue.addPacked(next)
    this.drop(candidate, 'over_budget', { short_by_tokens: missing })
    if (mode === 'sentence') return
    // The best sentences of the best chunk come before all that is worth less, and so do nearly all of a chunk, and the entry that the question names.
    const isBest = this.selected.length === 0
    const isWorthCutting = isBest || hasNamedEntry(candidate) || (overflows === 0 && this.fitsNearly(missing))
    if (overflow === 'skip' && sentenceCut && isWorthCutting) yield* this.takeBestWindow(candidate)
    // A chunk that does not fit means that the budget is nearly full; a sentence that does not fit may only be long.
    if (!this.packedKeys.has(candidate.key)) this.overflowing.push(candidate)
  }

  private fitsNearly(missing: number): boolean {
    const room = this.options.budgetTokens - this.cost.used
    return room >= NEARLY_WHOLE * (room + missing)
  }

  /**
   * Takes what of a unit is not packed yet, when it fits, and drops the candidate as a duplicate when that is nothing.
   * @returns the tokens that are missing; 0 or less when it fits
   */
  private *takeFresh(unit: Unit, marginal: number): Steps<number> {
    const { parts: fresh, holders, evidence } = yield* this.sentences.freshParts(unit)
    if (fresh.length === 0) {
      this.drop(unit.candidate, 'duplicate', { ...evidence, detail: 'its sentences are packed' })
      return 0
    }
    const parts = [...this.missingHead(unit), ...fresh]
    const costs = yield* this.cost.costsOf(parts)
    const missing = costs.reduce((sum, tokens) => sum + tokens, this.cost.used) - this.options.budgetTokens
    if (missing > 0) return missing
    for (const [at, part] of parts.entries()) this.take(part, marginal, costs[at] ?? 0, holders)
    yield* this.sentences.add(parts)
    if (unit.head) this.heads.add(headKey(unit, unit.head))
    return missing
  }

  /** The head of the table of a row, when it is not selected yet. */
  private missingHead(unit: Unit): Unit[] {
    const { head, ...row } = unit
    return head && !this.heads.has(headKey(unit, head)) ? [{ ...row, ...head }] : []
  }

  private take(unit: Unit, marginal: number, tokens: number, holders?: ReadonlySet<string>): void {
    const { candidate } = unit
    this.cost.add(unit, tokens)
    if (!this.packedKeys.has(candidate.key)) this.caps.add(candidate)
    this.packedKeys.add(candidate.key)
    this.drops.delete(candidate.key)
    this.selected.push({ unit, marginal, tokens, holders })
  }

  /** Takes the sentences that fit and match the query best. */
  private *takeBestWindow(candidate: Candidate): Steps<void> {
    const room = this.options.budgetTokens - this.cost.used
    if (room < LEAST_ROOM) return
    const { asksForSteps = false, sentenceMatches } = this.options
    const matches = sentenceMatches?.get(candidate.key) ?? null
    const chosen =
      matches === null ? [] : yield* bestSentences(candidate, this.query, matches, room, this.cost, asksForSteps)
    const units = chosen.length > 0 ? chosen : yield* bestWindow(candidate, this.query, room, this.cost)
    if (this.selected.length > 0 && !(yield* this.isWorthPacking(units))) return
    for (const unit of units) yield* this.takeFresh(unit, candidate.value)
  }

  /**
   * Whether parts of a chunk have enough text that is not packed yet. Few words do, when the chunk has no others and its section is in the
   * context, so that they bring no source line.
   */
  private *isWorthPacking(parts: readonly Unit[]): Steps<boolean> {
    const [first] = parts
    if (first === undefined) return true
    let tokens = 0
    let isWhole = true
    for (const part of parts) {
      const { parts: fresh } = yield* this.sentences.freshParts(part)
      isWhole &&= fresh.length === 1 && fresh[0] === part
      for (const one of fresh) tokens += yield* this.cost.tokensOf(textOf(one).trim())
    }
    return tokens >= LEAST_TEXT || (isWhole && !this.cost.bringsSourceLine(first))
  }

  /** Takes the longest start of a chunk that fits, even if it ends inside a word. A baseline for replays. */
  private *takeLongestStart(candidate: Candidate): Steps<void> {
    const { cost, options } = this
    const whole = wholeChunk(candidate)
    const startOf = (length: number): Unit => ({ ...whole, end: whole.start + length })
    const { length } = yield* longestPrefixInSteps(textOf(whole), function* fits(prefix) {
      return cost.used + (yield* cost.costOf(startOf(prefix.length))) <= options.budgetTokens
    })
    if (length === 0) return
    const unit = startOf(length)
    this.take(unit, unit.value, yield* cost.costOf(unit))
  }
}

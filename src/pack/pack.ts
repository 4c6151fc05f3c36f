import { groupBy } from '../core/collections.ts'
import type { CountTokens } from '../core/ports.ts'
import { codePointStart } from '../core/prefix.ts'
import { inOneStep, insteadWhenLate, type Steps, toTheEnd } from '../core/steps.ts'
import type { Candidate, ContextFormat, Dropped, Span } from '../core/types.ts'
import { countByCharacters } from '../text/characters.ts'
import { type ContextLines, contextLinesOf, NO_CONTEXT_LINES } from './context-line.ts'
import { CostModel } from './cost.ts'
import { behindHeadings } from './headings/behind-heading.ts'
import { type Block, joinUnits, layOut } from './layout.ts'
import { type Choice, expandToParents, type ParentExpansionOptions } from './parent-expansion.ts'
import { GAP, RENDERERS, render, shownContextLines } from './render.ts'
import { type Selected, type SelectOptions, select, weakestOf } from './select.ts'
import { tellApart, withoutSharedSite } from './source-name.ts'

export interface PackOptions extends SelectOptions, ParentExpansionOptions {
  format: ContextFormat
  /** What filling counts: tokens, or four characters as one token. */
  counting: 'tokens' | 'characters'
  /** Whether the first sentence of a chunk's context stands before its text. */
  contextLine: boolean
  /** Whether a heading at the beginning of a chunk is packed where the source line has it. */
  repeatHeading: boolean
  /** The probability that a candidate answers, for the formats that show it. Absent: none shows it. */
  relevanceOf?: (candidate: Candidate) => number
}

export interface PackedChunk {
  candidate: Candidate
  /** Packed parts of the chunk's text, as offsets in reading order. */
  spans: Span[]
  /** The packed text, with gap marks between parts. */
  text: string
  /** Tokens of `text`. */
  tokens: number
  /** Number of its source line in the context. */
  citation: number
}

export interface Packed {
  context: string
  /** Tokens of `context`; never more than the budget. */
  tokens: number
  /** The context lines as they stand in the context, in its order: what is no text of documents. */
  contextLines: string[]
  /** In the order of the context. */
  packed: PackedChunk[]
  /** Keys of the candidates in the order of filling. */
  filled: string[]
  dropped: Dropped[]
  /** Whether the time was up before every candidate was tried. */
  isLate: boolean
}

/** Rounds of counting the whole context before more is removed in each round, so that there are never more than about thirty. */
const PATIENT_ROUNDS = 8

/**
 * Packs candidates into a context of at most `budgetTokens`. Selection fills by estimated costs, so the rendered context is counted
 * again. While it is over the budget, the units with the lowest marginal values are removed.
 *
 * When its time is up, it packs what is selected so far. If that is nothing, it fills the budget in the given order and cuts the first
 * chunk that does not fit to its sentences, which is short work.
 *
 * @param given the candidates, in the order of filling
 * @param query for sentence scores and caps; null when unknown
 * @param count tokenizer of the reader's model
 */
export function* pack(
  given: readonly Candidate[],
  query: string | null,
  options: PackOptions,
  count: CountTokens,
): Steps<Packed> {
  const { budgetTokens } = options
  const renderer = RENDERERS[options.format]
  const named = withoutSharedSite(tellApart(given, options.order), options.order)
  const candidates = options.repeatHeading ? named : behindHeadings(named, renderer, budgetTokens)
  const estimate = options.counting === 'tokens' ? count : countByCharacters
  const inTime = options.contextLine
    ? yield* insteadWhenLate<ContextLines | null>(contextLinesOf(candidates, count), () => inOneStep(() => null))
    : NO_CONTEXT_LINES
  const lines = inTime ?? NO_CONTEXT_LINES
  const newCost = () => new CostModel(renderer, estimate, budgetTokens, lines)
  // What is left out of a chunk depends on the others, and an earlier turn may have packed it whole.
  const repetition = options.order === 'stable' ? 'off' : options.repetition
  const selectWith = (rules: PackOptions) => select(candidates, query, rules, newCost())
  const selection = inTime === null ? NOTHING_IN_TIME : yield* selectWith({ ...options, repetition })
  const { isLate } = selection
  const hasNothing = isLate && selection.selected.length === 0
  const choice = hasNothing ? yield* selectWith({ ...options, ...SHORT_WORK }) : selection
  const choices = isLate ? [choice] : yield* expandToParents(choice, options, newCost)
  const { blocks, context, tokens, dropped } = yield* toTheEnd(() => fitLargest(choices, { ...options, lines }, count))
  const packed = yield* toTheEnd(() => describePacked(blocks, count))
  const filled = [...new Set(choice.selected.map(({ unit }) => unit.candidate.key))]
  return { context, tokens, contextLines: shownContextLines(blocks, renderer), packed, filled, dropped, isLate }
}

const NOTHING_IN_TIME = { selected: [], dropped: [], isLate: true }

/** How selected units are rendered. */
interface FitOptions extends PackOptions {
  lines: ContextLines
}

/** What is left of the rules when there is no time for more. */
const SHORT_WORK = {
  mode: 'passage',
  noveltyAlpha: 0,
  capMode: 'hard',
  overflow: 'stop',
  sentenceCut: true,
  repetition: 'off',
} as const

interface Rendered {
  blocks: Block[]
  context: string
  tokens: number
}

interface Fitted extends Rendered {
  dropped: Dropped[]
}

/** The choice with the most parents that is within the budget; the one without parents is cut to it. */
function* fitLargest([plain, ...expanded]: readonly Choice[], options: FitOptions, count: CountTokens): Steps<Fitted> {
  for (const { selected, dropped } of expanded.reverse()) {
    const rendered = yield* renderSelected(selected, options, count)
    if (rendered.tokens <= options.budgetTokens) return { ...rendered, dropped }
  }
  return yield* fitToBudget(plain ?? { selected: [], dropped: [] }, options, count)
}

/**
 * Renders the selected units and counts the tokens. While they are over the budget, it removes the units with the lowest marginal
 * values, as many as the excess needs by their estimated costs. For `truncate` it cuts the end of the last unit instead.
 */
function* fitToBudget(choice: Choice, options: FitOptions, count: CountTokens): Steps<Fitted> {
  const { budgetTokens, overflow } = options
  const removed: Dropped[] = []
  let selected = [...choice.selected]
  for (let round = 0; ; round++) {
    const rendered = yield* renderSelected(selected, options, count)
    const { tokens } = rendered
    const excess = tokens - budgetTokens
    if (excess <= 0) {
      const dropped = removed.length === 0 ? choice.dropped : choice.dropped.map(beforeRemoval)
      return { ...rendered, dropped: [...dropped, ...removed] }
    }
    const wanted = excess * 2 ** Math.max(0, round - PATIENT_ROUNDS)
    const shorter = overflow === 'truncate' ? shorten(selected.at(-1), wanted) : null
    if (shorter) {
      selected.splice(-1, 1, shorter)
      continue
    }
    const before = selected
    // With `truncate`, the unit before the removed one is cut next.
    selected = withoutWeakest(before, overflow === 'truncate' && round < PATIENT_ROUNDS ? 1 : wanted, tokens)
    const kept = new Set(selected.map(({ unit }) => unit.candidate.key))
    const gone = new Map(before.map(({ unit }) => [unit.candidate.key, unit.candidate]))
    for (const [key, candidate] of gone) {
      const evidence = { short_by_tokens: excess, detail: 'rendered context was over budget' }
      if (!kept.has(key)) removed.push({ candidate, reason: 'over_budget', evidence })
    }
  }
}

/** Of a chunk that found no room or a limit: that this was so before others were removed. The budget is not filled again. */
function beforeRemoval(drop: Dropped): Dropped {
  const { short_by_tokens, cap, detail } = drop.evidence
  if (short_by_tokens === undefined && cap === undefined) return drop
  const then = `${detail ?? 'did not fit'} before other chunks were removed`
  return { ...drop, evidence: { ...drop.evidence, detail: then } }
}

/** Renders units and counts the tokens. */
function* renderSelected(
  selected: readonly Selected[],
  { format, order, previous, lines, relevanceOf, budgetTokens }: FitOptions,
  count: CountTokens,
): Steps<Rendered> {
  const units = selected.map(({ unit }) => unit)
  const blocks = layOut(units, order, previous, lines)
  yield
  // The relevance differs between questions, so it would break the prefix that `stable` keeps for the prompt cache.
  const shown = order === 'stable' ? undefined : relevanceOf
  const bestOf = ({ units }: Block) => Math.max(...units.map(({ candidate }) => shown?.(candidate) ?? 0))
  const context = render(blocks, RENDERERS[format], shown === undefined ? null : bestOf, budgetTokens)
  yield
  return { blocks, context, tokens: context === '' ? 0 : yield* count(context) }
}

/**
 * Removes the weakest units that are worth `excess` tokens.
 * @param tokens of all units together; when the estimated costs are below it, they are scaled to it
 */
function withoutWeakest(selected: readonly Selected[], excess: number, tokens: number): Selected[] {
  const costOf = (unit: Selected) => Math.max(1, unit.tokens)
  const scale = Math.max(1, tokens / selected.reduce((sum, unit) => sum + costOf(unit), 0))
  const weakest = new Set(weakestOf(selected, excess, unit => costOf(unit) * scale))
  return selected.filter(unit => !weakest.has(unit))
}

/** Cuts `excess` tokens, at three characters each, off the end of the unit; null when nothing would be left. */
function shorten(last: Selected | undefined, excess: number): Selected | null {
  if (!last) return null
  const { candidate, start, end } = last.unit
  const newEnd = codePointStart(candidate.chunk.text, end - Math.max(1, excess * 3))
  return newEnd > start ? { ...last, unit: { ...last.unit, end: newEnd } } : null
}

function* describePacked(blocks: readonly Block[], count: CountTokens): Steps<PackedChunk[]> {
  const packed: PackedChunk[] = []
  for (const [index, { units }] of blocks.entries()) {
    for (const group of groupBy(units, ({ candidate }) => candidate.key).values()) {
      const [first] = group
      if (!first) continue
      const spans = group.map(({ start, end }) => ({ start, end }))
      const text = joinUnits(group)
        .map(part => part.text)
        .join(GAP)
      packed.push({ candidate: first.candidate, spans, text, tokens: yield* count(text), citation: index + 1 })
      yield
    }
  }
  return packed
}

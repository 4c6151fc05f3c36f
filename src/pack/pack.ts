import { groupBy } from '../core/collections.ts'
import { codePointStart } from '../core/prefix.ts'
import type { Candidate, ContextFormat, ContextOrder, Dropped } from '../core/types.ts'
import { CostModel, type CountTokens } from './cost.ts'
import { joinTexts } from './join.ts'
import { layOut } from './layout.ts'
import { RENDERERS, render } from './render.ts'
import { type Selected, type SelectOptions, select } from './select.ts'
import type { Unit } from './unit.ts'

export interface PackOptions extends Omit<SelectOptions, 'budget'> {
  /** Tokens that the rendered context may have at most, all wrappers included. */
  budgetTokens: number
  format: ContextFormat
  order: ContextOrder
  /** What filling counts in: real tokens, or four characters a token (the audit's estimate). */
  counting: 'tokens' | 'characters'
  /** For the `stable` order: the turn in which a candidate was first packed in this session, by its key. */
  previous?: ReadonlyMap<string, number>
}

/** A chunk that is in, and which of its text. */
export interface PackedChunk {
  candidate: Candidate
  /** Offsets into the chunk's text, in reading order. */
  spans: { start: number; end: number }[]
  /** The packed text: the chunk's, or its best sentences with gap marks between. */
  text: string
  tokens: number
  /** Number of its source line in the rendered context. */
  citation: number
}

export interface Packed {
  context: string
  /** Count of `context`, never above the budget. */
  tokens: number
  /** In the order in which the context shows them. */
  packed: PackedChunk[]
  dropped: Dropped[]
}

/**
 * Packs candidates into one rendered context of at most `budgetTokens`. The rendered string is counted again, and while it is over budget
 * the unit with the lowest marginal value goes, never the last one blindly.
 *
 * @param candidates in the order to fill by
 * @param query for sentence scores and caps; null when unknown
 * @param count exact token counter of the reader's model
 */
export function pack(
  candidates: readonly Candidate[],
  query: string | null,
  options: PackOptions,
  count: CountTokens,
): Packed {
  const renderer = RENDERERS[options.format]
  const estimate: CountTokens = options.counting === 'tokens' ? count : text => Math.ceil(text.length / 4)
  const cost = new CostModel(renderer, estimate)
  const { selected, dropped } = select(candidates, query, { ...options, budget: options.budgetTokens }, cost)
  return shrinkToBudget(selected, dropped, options, count)
}

function shrinkToBudget(
  selected: readonly Selected[],
  dropped: readonly Dropped[],
  options: PackOptions,
  count: CountTokens,
): Packed {
  const renderer = RENDERERS[options.format]
  const out = [...dropped]
  let staying = [...selected]
  for (;;) {
    const blocks = layOut(
      staying.map(({ unit }) => unit),
      options.order,
      options.previous,
    )
    // A relevance would change from question to question and break the prefix that `stable` keeps.
    const context = render(blocks, renderer, { showRelevance: options.order !== 'stable' })
    const tokens = context === '' ? 0 : count(context)
    if (tokens <= options.budgetTokens) {
      return {
        context,
        tokens,
        packed: blocks.flatMap((block, index) => chunksOf(block.units, index + 1, count)),
        dropped: out,
      }
    }
    const short = tokens - options.budgetTokens
    const last = options.overflow === 'truncate' ? shorten(staying.at(-1), short) : null
    if (last) {
      staying = [...staying.slice(0, -1), last]
      continue
    }
    const weakest = staying.reduce((low, next) => (next.marginal <= low.marginal ? next : low))
    staying = staying.filter(entry => entry !== weakest)
    const { candidate } = weakest.unit
    if (!staying.some(({ unit }) => unit.candidate.key === candidate.key))
      out.push({
        candidate,
        reason: 'over_budget',
        evidence: { short_by_tokens: short, detail: 'rendered context was over budget' },
      })
  }
}

/** For `truncate`: cuts more off the end of the last text. Null when nothing of it would be left. */
function shorten(last: Selected | undefined, short: number): Selected | null {
  if (!last) return null
  const { candidate, start, end } = last.unit
  const kept = codePointStart(candidate.chunk.text, end - Math.max(1, short * 3))
  return kept > start ? { ...last, unit: { ...last.unit, end: kept } } : null
}

function chunksOf(units: readonly Unit[], citation: number, count: CountTokens): PackedChunk[] {
  return [...groupBy(units, ({ candidate }) => candidate.key).values()].flatMap(group => {
    const [first] = group
    if (!first) return []
    const spans = group.map(({ start, end }) => ({ start, end }))
    const text = textOf(first.candidate.chunk.text, spans)
    return [{ candidate: first.candidate, spans, text, tokens: count(text), citation }]
  })
}

function textOf(text: string, spans: readonly { start: number; end: number }[]): string {
  const packed = spans.reduce((before, { start, end }, index) => {
    const slice = text.slice(start, end)
    const previous = spans[index - 1]
    if (!previous) return slice
    const between = text.slice(previous.end, start)
    return between.trim() === '' ? joinTexts(before, between, slice) : `${before.trimEnd()}\n[…]\n${slice.trimStart()}`
  }, '')
  return packed.trim()
}

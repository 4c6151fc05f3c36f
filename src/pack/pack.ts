import { groupBy } from '../core/collections.ts'
import { codePointStart } from '../core/prefix.ts'
import type { Candidate, ContextFormat, ContextOrder, Dropped } from '../core/types.ts'
import { CostModel, type CountTokens } from './cost.ts'
import { joinUnits, layOut } from './layout.ts'
import { GAP, RENDERERS, render } from './render.ts'
import { type Selected, type SelectOptions, select } from './select.ts'
import type { Unit } from './unit.ts'

export interface PackOptions extends SelectOptions {
  format: ContextFormat
  order: ContextOrder
  /** What filling counts: tokens, or four characters as one token. */
  counting: 'tokens' | 'characters'
  /** For the order `stable`: the turn that first packed a candidate, by its key. */
  previous?: ReadonlyMap<string, number>
}

export interface PackedChunk {
  candidate: Candidate
  /** Packed parts of the chunk's text, as offsets in reading order. */
  spans: { start: number; end: number }[]
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
  /** In the order of the context. */
  packed: PackedChunk[]
  dropped: Dropped[]
}

/**
 * Packs candidates into a context of at most `budgetTokens`. Selection fills by estimated costs, so the rendered context is counted
 * again. While it is over the budget, the unit with the lowest marginal value is removed.
 *
 * @param candidates in the order of filling
 * @param query for sentence scores and caps; null when unknown
 * @param count tokenizer of the reader's model
 */
export function pack(
  candidates: readonly Candidate[],
  query: string | null,
  options: PackOptions,
  count: CountTokens,
): Packed {
  const { budgetTokens, order, overflow } = options
  const renderer = RENDERERS[options.format]
  // The relevance differs between questions, so it would break the prefix that `stable` keeps for the prompt cache.
  const showRelevance = order !== 'stable'
  const estimate: CountTokens = options.counting === 'tokens' ? count : text => Math.ceil(text.length / 4)
  const { selected, dropped } = select(candidates, query, options, new CostModel(renderer, estimate))
  for (;;) {
    const units = selected.map(({ unit }) => unit)
    const blocks = layOut(units, order, options.previous)
    const context = render(blocks, renderer, { showRelevance })
    const tokens = context === '' ? 0 : count(context)
    const excess = tokens - budgetTokens
    if (excess <= 0) {
      const packed = blocks.flatMap((block, index) => packedChunks(block.units, index + 1, count))
      return { context, tokens, packed, dropped }
    }
    const shorter = overflow === 'truncate' ? shorten(selected.at(-1), excess) : null
    if (shorter) {
      selected.splice(-1, 1, shorter)
      continue
    }
    const weakest = selected.reduce((low, next) => (next.marginal <= low.marginal ? next : low))
    selected.splice(selected.indexOf(weakest), 1)
    const { candidate } = weakest.unit
    if (selected.every(({ unit }) => unit.candidate.key !== candidate.key)) {
      const evidence = { short_by_tokens: excess, detail: 'rendered context was over budget' }
      dropped.push({ candidate, reason: 'over_budget', evidence })
    }
  }
}

/** Cuts `excess` tokens, at three characters each, off the end of the unit; null when nothing would be left. */
function shorten(last: Selected | undefined, excess: number): Selected | null {
  if (!last) return null
  const { candidate, start, end } = last.unit
  const newEnd = codePointStart(candidate.chunk.text, end - Math.max(1, excess * 3))
  return newEnd > start ? { ...last, unit: { ...last.unit, end: newEnd } } : null
}

function packedChunks(units: readonly Unit[], citation: number, count: CountTokens): PackedChunk[] {
  return [...groupBy(units, ({ candidate }) => candidate.key).values()].flatMap(group => {
    const [first] = group
    if (!first) return []
    const spans = group.map(({ start, end }) => ({ start, end }))
    const text = joinUnits(group)
      .map(part => part.trim())
      .join(GAP)
    return [{ candidate: first.candidate, spans, text, tokens: count(text), citation }]
  })
}

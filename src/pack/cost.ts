import { firstPlace } from '../core/collections.ts'
import type { CountTokens } from '../core/ports.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate, Span } from '../core/types.ts'
import { codeLanguageOf } from '../text/code/file-language.ts'
import { slicesOf } from '../text/slices.ts'
import { type ContextLines, lineBefore, NO_CONTEXT_LINES } from './context-line.ts'
import { continues, joinOf, rangeBetween, runsAround } from './join.ts'
import { GAP, longestNameIn, type Renderer } from './render.ts'
import { inReadingOrder, sectionOf, textOf, type Unit, wholeChunk } from './unit.ts'

/** Counting ends this many tokens over the budget: a text so much too long does not fit, however long it is. */
const FAR_OVER = 2_000

/**
 * Estimates the tokens of the context while units are added: escaped text, one source line per block, gap marks, and neighbours
 * joined without their overlap. Long texts are counted in slices. `pack` counts the rendered context exactly at the end.
 */
export class CostModel {
  /** Tokens of all added units. */
  used = 0
  /** The units of each block in reading order. */
  private readonly blocks = new Map<string, Unit[]>()
  private readonly renderer: Renderer
  private readonly count: CountTokens
  private readonly budgetTokens: number
  private readonly lines: ContextLines

  constructor(renderer: Renderer, count: CountTokens, budgetTokens: number, lines = NO_CONTEXT_LINES) {
    this.renderer = renderer
    this.count = count
    this.budgetTokens = budgetTokens
    this.lines = lines
  }

  /** Tokens that the unit would add. More than 2,000 tokens over the budget it is a lower bound. */
  *costOf(unit: Unit): Steps<number> {
    const [tokens = 0] = yield* this.costsOf([unit])
    return tokens
  }

  /** The same for each of several parts of one chunk, in reading order, when all of them are added. */
  *costsOf(parts: readonly Unit[]): Steps<number[]> {
    const [first] = parts
    if (!first) return []
    const block = this.blocks.get(sectionOf(first))
    const place = block ? placeIn(block, first) : 0
    const [before, after] = runsAround(block ?? [], place, first)
    const costs: number[] = []
    let run = before
    for (const [at, part] of parts.entries()) {
      const own = 1 + (yield* this.tokensOf(textOf(part).trim()))
      let seams = yield* this.seam(run, part)
      run = run && continues(run, part) ? { ...part, start: run.start } : part
      if (block && at === parts.length - 1) seams += (yield* this.seam(run, after)) - (yield* this.seam(before, after))
      const frame = block || at > 0 ? 0 : (yield* this.sourceLine(part)) + (yield* this.frame())
      costs.push(block ? Math.max(0, own + seams) : own + seams + frame)
    }
    return costs
  }

  /** Whether a unit is the first of its block, which has the source line. */
  bringsSourceLine(unit: Unit): boolean {
    return !this.blocks.has(sectionOf(unit))
  }

  /** What of a chunk is not in the added units that it overlaps with, as offsets in its text. */
  freshRangeOf(candidate: Candidate): Span {
    const whole = wholeChunk(candidate)
    const block = this.blocks.get(sectionOf(whole)) ?? []
    const place = placeIn(block, whole)
    const [before, after] = runsAround(block, place, whole)
    return rangeBetween(before, candidate, after)
  }

  /** @param tokens the cost of the unit */
  add(unit: Unit, tokens: number): void {
    this.used += tokens
    const section = sectionOf(unit)
    const block = this.blocks.get(section)
    if (block) block.splice(placeIn(block, unit), 0, unit)
    else this.blocks.set(section, [unit])
  }

  /**
   * Tokens between two units that follow each other: those of the gap mark and the context line, or less than 0 when they join with an overlap, or with a
   * space, which is a part of the next word's token.
   */
  private *seam(previous: Unit | undefined, next: Unit | undefined): Steps<number> {
    if (!next) return 0
    const join = joinOf(previous, next)
    if (join === null) {
      const line = yield* this.contextLine(lineBefore(previous, next, this.lines))
      return previous ? line + (yield* this.count(this.renderer.escape(GAP))) : line
    }
    if (join.overlap > 0) return -(yield* this.tokensOf(textOf(next).slice(0, join.overlap)))
    return previous && joinsWithSpace(previous, next) ? -1 : 0
  }

  private *contextLine(line: string): Steps<number> {
    const { contextField, contextLine } = this.renderer
    return line === '' ? 0 : yield* this.count(`${contextField([line])}${contextLine(line)}`)
  }

  /** Tokens of the escaped text alone. Far over the budget it is a lower bound. */
  *tokensOf(text: string): Steps<number> {
    const most = this.budgetTokens - this.used + FAR_OVER
    let tokens = 0
    for (const slice of slicesOf(text)) {
      tokens += yield* this.count(this.renderer.escape(slice))
      if (tokens > most) return tokens
      yield
    }
    return tokens
  }

  private sourceLine({ candidate }: Unit): Steps<number> {
    const { sourceName, pageTitle, chunk } = candidate
    const { docId, docTitle, sectionPath } = chunk
    // All relevances have equally many digits.
    const source = {
      docId,
      docTitle,
      pageTitle,
      sourceName,
      sectionPath,
      relevance: 0,
      contextField: '',
      longestName: longestNameIn(this.budgetTokens),
    }
    const { open, frame, close } = this.renderer
    return this.count(`${open(source, 10)}${frame(codeLanguageOf(chunk))}${close}`)
  }

  /** Tokens around all blocks, charged to the first one, or between two blocks, charged to each other one. */
  private *frame(): Steps<number> {
    const { before, after, between } = this.renderer
    return this.blocks.size === 0
      ? (yield* this.count(before)) + (yield* this.count(after))
      : yield* this.count(between)
  }
}

/** Whether two sentences of one chunk stand in one line. */
function joinsWithSpace(previous: Unit, next: Unit): boolean {
  if (previous.candidate.key !== next.candidate.key) return false
  const text = next.candidate.chunk.text.slice(previous.start, next.start)
  return !text.slice(text.trimEnd().length).includes('\n')
}

/** The place of a unit among units in reading order. */
function placeIn(units: readonly Unit[], unit: Unit): number {
  return firstPlace(units.length, at => inReadingOrder(units[at] ?? unit, unit) > 0)
}

import { sectionKey } from '../core/keys.ts'
import { joinOf } from './join.ts'
import { GAP, type Renderer } from './render.ts'
import { textOf, type Unit } from './unit.ts'

/** Counts tokens. The sum over parts of a text can differ a little from the count of the whole. */
export type CountTokens = (text: string) => number

/**
 * Estimates the tokens of the context while units are added: escaped text, one source line per block, gap marks, and neighbours
 * joined without their overlap. `pack` counts the rendered context exactly at the end.
 */
export class CostModel {
  /** Tokens of all added units. */
  used = 0
  private readonly blocks = new Map<string, Unit[]>()
  private readonly renderer: Renderer
  private readonly count: CountTokens

  constructor(renderer: Renderer, count: CountTokens) {
    this.renderer = renderer
    this.count = count
  }

  /** Tokens that the unit would add. */
  costOf(unit: Unit): number {
    const own = this.count(this.renderer.escape(textOf(unit).trim())) + 1
    const block = this.blocks.get(sectionKey(unit.candidate.chunk))
    if (!block) return own + this.sourceLine(unit) + this.frame()
    const before = this.savedByJoin(block.map(other => [other, unit]))
    const after = this.savedByJoin(block.map(other => [unit, other]))
    // A unit without a join adds a gap mark; a unit that joins both its neighbours removes one.
    const joins = Number(before !== null) + Number(after !== null)
    const gaps = (1 - joins) * this.count(this.renderer.escape(GAP))
    return Math.max(0, own + gaps - (before ?? 0) - (after ?? 0))
  }

  add(unit: Unit): void {
    this.used += this.costOf(unit)
    const key = sectionKey(unit.candidate.chunk)
    const block = this.blocks.get(key)
    if (block) block.push(unit)
    else this.blocks.set(key, [unit])
  }

  /** Tokens of the overlap in the first pair that joins; null when no pair joins. */
  private savedByJoin(pairs: readonly (readonly [Unit, Unit])[]): number | null {
    for (const [previous, next] of pairs) {
      const join = joinOf(previous, next)
      if (!join) continue
      const overlap = next.candidate.chunk.text.slice(0, join.overlap)
      return overlap === '' ? 0 : this.count(this.renderer.escape(overlap))
    }
    return null
  }

  private sourceLine({ candidate, value }: Unit): number {
    const { docId, docTitle, sectionPath } = candidate.chunk
    return this.count(`${this.renderer.open({ docId, docTitle, sectionPath, value }, 10)}${this.renderer.close}`)
  }

  /** Tokens around all blocks, charged to the first one, or between two blocks, charged to each other one. */
  private frame(): number {
    const { before, after, between } = this.renderer
    return this.blocks.size === 0 ? this.count(before) + this.count(after) : this.count(between)
  }
}

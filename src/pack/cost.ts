import { sectionKey } from '../core/keys.ts'
import { joinOf } from './join.ts'
import type { Renderer } from './render.ts'
import { textOf, type Unit } from './unit.ts'

/** Tokens of a text; the sum over parts bounds the count of the whole closely enough to fill by, never to promise by. */
export type CountTokens = (text: string) => number

/**
 * What the context costs as units are added: text in its format, one source line per block, gap marks, and neighbours joined
 * without their overlap. An estimate from cached counts of the parts; the rendered string is counted again at the end.
 */
export class CostModel {
  private readonly blocks = new Map<string, Unit[]>()
  private readonly renderer: Renderer
  private readonly count: CountTokens
  private total = 0

  constructor(renderer: Renderer, count: CountTokens) {
    this.renderer = renderer
    this.count = count
  }

  get used(): number {
    return this.total
  }

  /** Tokens that the context would grow by. */
  costOf(unit: Unit): number {
    const own = this.count(this.renderer.escape(textOf(unit).trim())) + 1
    const block = this.blocks.get(sectionKey(unit.candidate.chunk))
    if (!block) return own + this.sourceLine(unit) + this.frame()
    const before = this.savedOver(block, other => joinOf(other, unit), unit)
    const after = this.savedOver(block, other => joinOf(unit, other), null)
    const gap = this.count(this.renderer.gap)
    const gaps = before === null && after === null ? gap : before !== null && after !== null ? -gap : 0
    return Math.max(0, own + gaps - (before ?? 0) - (after ?? 0))
  }

  add(unit: Unit): number {
    const cost = this.costOf(unit)
    const key = sectionKey(unit.candidate.chunk)
    this.blocks.set(key, [...(this.blocks.get(key) ?? []), unit])
    this.total += cost
    return cost
  }

  /** Tokens of overlap saved at the join with a unit that is there already; null when nothing there joins. */
  private savedOver(
    block: readonly Unit[],
    join: (other: Unit) => ReturnType<typeof joinOf>,
    next: Unit | null,
  ): number | null {
    for (const other of block) {
      const found = join(other)
      if (!found) continue
      const later = next ?? other
      return found.overlap > 0
        ? this.count(this.renderer.escape(later.candidate.chunk.text.slice(0, found.overlap)))
        : 0
    }
    return null
  }

  private sourceLine({ candidate, value }: Unit): number {
    const { docId, docTitle, sectionPath } = candidate.chunk
    return this.count(`${this.renderer.open({ docId, docTitle, sectionPath, value }, 10)}${this.renderer.close}`)
  }

  /** What the format puts around all blocks, paid with the first, and between two, paid with each other one. */
  private frame(): number {
    const { before, after, between } = this.renderer
    return this.blocks.size === 0 ? this.count(before) + this.count(after) : this.count(between)
  }
}

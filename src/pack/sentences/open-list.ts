import { columnsOf } from '../../text/columns.ts'

/** Announces what follows, as in "You need:". */
export const LEAD_IN = /[:：]["'”’)\]*_]{0,4}\s*$/u

/**
 * The lead-ins that are open at a place of a text, each deeper than the one before: the sentence before a list, or an item above a nested one, that ends with a colon. Under
 * "Never put these into the furnace:" and under "You can put these into it:" the same item says the opposite.
 */
export class OpenList {
  private readonly open: { columns: number; place: number }[] = []

  /** Goes on to the next sentence. @returns the place of the lead-in that announces it; undefined for what is no item or has none */
  enter(text: string, isItem: boolean, place: number): number | undefined {
    const columns = isItem ? columnsOf(text) : -1
    if (!isItem && columnsOf(text) > 0) return undefined
    while ((this.open.at(-1)?.columns ?? Number.NEGATIVE_INFINITY) >= columns) this.open.pop()
    const leadIn = isItem ? this.open.at(-1)?.place : undefined
    if (LEAD_IN.test(text)) this.open.push({ columns, place })
    return leadIn
  }
}

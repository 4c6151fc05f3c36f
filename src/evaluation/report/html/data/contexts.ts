import type { ContextFormat } from '../../../../core/types.ts'
import type { GoldFinder } from '../../../metrics/common-runs.ts'
import { sharesByText } from '../../../metrics/context.ts'
import { plainText } from '../../../metrics/plain-text.ts'
import type { ContextsPart, GoldText, MarkedText } from '../report-data.ts'

/** A gold passage can be a whole document. */
const LONGEST_GOLD = 4_000

/** The contexts of one query as their reader reads them, with the words of gold passages marked as the measures count them. */
export function contextsPart(
  contexts: readonly ({ context: string; format: ContextFormat } | null)[],
  golds: readonly string[],
  finder: GoldFinder,
): ContextsPart {
  const read = contexts.map(run => run && plainText(run.context, run.format))
  const shares = read.map(text => (text === null ? null : sharesByText(finder.in(text).golds)))
  return {
    golds: golds.map((text, gold): GoldText => {
      const shown = text.length <= LONGEST_GOLD ? text : `${text.slice(0, LONGEST_GOLD).toWellFormed()}…`
      return { text: shown.toWellFormed(), found: shares.map(ofArm => ofArm?.[gold] ?? null) }
    }),
    contexts: read.map(text => (text === null ? null : marked(text, finder))),
  }
}

/** @returns the text, with marks at the same offsets: a lone surrogate is replaced by one sign of the same length */
function marked(text: string, finder: GoldFinder): MarkedText {
  return { text: text.toWellFormed(), marks: finder.rangesIn(text).flatMap(({ start, end }) => [start, end]) }
}

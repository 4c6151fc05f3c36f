import type { GoldenQuery } from '../../../src/evaluation/golden-set/golden-set.ts'
import { GoldFinder } from '../../../src/evaluation/metrics/common-runs.ts'
import { splitSentences } from '../../../src/text/sentences/sentences.ts'
import { terms } from '../../../src/text/terms/terms.ts'

/** Share of the words of a sentence that a text must hold, as for a gold passage. */
const HELD_SHARE = 0.9

/**
 * The sentence that answers: of the gold passages, the one that shares the most distinct terms with the written answer, the first of equals.
 * Null when no answer is written, or none of its terms stands in a gold passage.
 */
export function answerSentence({ answer, goldPassages }: Pick<GoldenQuery, 'answer' | 'goldPassages'>): string | null {
  const wanted = new Set(terms(answer ?? ''))
  let best: string | null = null
  let most = 0
  for (const { text } of goldPassages.flatMap(gold => splitSentences(gold.text))) {
    const shared = new Set(terms(text).filter(term => wanted.has(term))).size
    if (shared > most) [best, most] = [text.trim(), shared]
  }
  return best
}

/** Whether a text holds at least 90 % of the words of a sentence, in runs of five. */
export function holds(text: string, sentence: string): boolean {
  const { found, total } = new GoldFinder([sentence]).in(text).golds[0] ?? { found: 0, total: 0 }
  return total > 0 && found >= HELD_SHARE * total
}

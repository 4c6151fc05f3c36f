import { stem } from 'porter2'
import type { Span } from '../../../core/types.ts'
import { GoldFinder } from '../../../evaluation/metrics/common-runs.ts'
import { wordsOf } from '../../../evaluation/metrics/reference-words.ts'
import { splitSentences } from '../../../text/sentences/sentences.ts'
import { ENGLISH_STOP_WORDS } from '../../../text/terms/stop-words.ts'

/** Finds what a reader should see marked. */
export interface Marks {
  /** `none`: the only term of the question is in most sentences. */
  kind: 'expected' | 'near' | 'none'
  rangesIn(text: string): Span[]
}

/** Marks what texts have in common with the sentences of the expected answer; without one, the sentences that are near the question. */
export function marksFor(question: string, expected: string, texts: readonly string[]): Marks {
  if (wordsOf(expected).length === 0) return nearMarks(question, texts)
  const finder = new GoldFinder(splitSentences(expected).map(({ text }) => text))
  return { kind: 'expected', rangesIn: text => finder.rangesIn(text) }
}

/** Share of the words of the expected answer that the texts hold, in [0,1]. Null without an expected answer. */
export function shareFound(expected: string, texts: readonly string[]): number | null {
  const [gold] = new GoldFinder([expected]).in(texts.join('\n')).golds
  return gold === undefined || gold.total === 0 ? null : gold.found / gold.total
}

/** Marks the sentences with more than half of the terms of the question; when there are none, those with the most, from two on. */
function nearMarks(question: string, texts: readonly string[]): Marks {
  const asked = termsOf(question)
  const sharedBy = (text: string) => sharedTerms(asked, text)
  const shares = texts.flatMap(splitSentences).map(({ text }) => sharedBy(text))
  // One term that most sentences hold points at none of them.
  if (asked.size === 1 && shares.filter(shared => shared > 0).length > shares.length / 2)
    return { kind: 'none', rangesIn: () => [] }
  const most = shares.reduce((best, shared) => Math.max(best, shared), 0)
  const least = Math.max(Math.min(2, asked.size), Math.min(most, Math.floor(asked.size / 2) + 1), 1)
  return {
    kind: 'near',
    rangesIn: text =>
      splitSentences(text).flatMap(({ text: sentence, start }) =>
        sharedBy(sentence) >= least ? [{ start, end: start + sentence.trimEnd().length }] : [],
      ),
  }
}

/** Stems of the words without stop words. Words of other scripts stay as they are. */
export function termsOf(text: string): ReadonlySet<string> {
  const words = wordsOf(text).filter(word => !ENGLISH_STOP_WORDS.has(word))
  return new Set(words.map(word => (/^[a-z]+$/u.test(word) ? stem(word) : word)))
}

/** Number of the terms that are in the text. */
export function sharedTerms(asked: ReadonlySet<string>, text: string): number {
  let shared = 0
  for (const term of termsOf(text)) if (asked.has(term)) shared++
  return shared
}

import type { Steps } from '../../core/steps.ts'
import type { OutlinedSentence } from './outline.ts'

/**
 * Fewest words of sentences that stand together: repeated sentences that are left out, because fewer can be equal by chance and the gap
 * mark takes about as many tokens, and sentences between two gaps, because fewer say nothing alone.
 */
export const LEAST_WORDS = 5
/** Marking a sentence is quicker than splitting it. */
export const MARKED_PER_STEP = 500

/**
 * Says which sentences stay when the repeated ones are left out. Beside all others, these stay: what a kept sentence cannot be read
 * without, the headings above a kept sentence, and sentences beside a kept part of less than five words. A heading goes when everything
 * under it goes.
 * @param isRepeated 1 for each repeated sentence
 * @param first place of the first sentence in the outline
 * @returns 1 for each sentence that stays
 */
export function* keptSentences(
  sentences: readonly OutlinedSentence[],
  isRepeated: Uint8Array,
  first: number,
): Steps<Uint8Array> {
  const kept = Uint8Array.from(sentences, ({ isHeading }, place) => (isRepeated[place] || isHeading ? 0 : 1))
  yield* widenShortParts(sentences, kept)
  for (let place = sentences.length - 1; place >= 0; place--) {
    if (place % MARKED_PER_STEP === 0) yield
    const sentence = sentences[place]
    const next = sentences[place + 1]
    if (sentence?.isHeading && (next === undefined || (next.isHeading && kept[place + 1]))) kept[place] = 1
    if (!sentence || !kept[place]) continue
    if (sentence.lead >= first) kept[sentence.lead - first] = 1
    if (sentence.heading >= first) kept[sentence.heading - first] = 1
  }
  return kept
}

/** Adds sentences to each part of less than five words: those before it under the same heading, then those after it. */
function* widenShortParts(sentences: readonly OutlinedSentence[], kept: Uint8Array): Steps<void> {
  const wordsAt = (place: number) => sentences[place]?.words ?? 0
  let words = 0
  /** Place of the first sentence of the part. */
  let start: number | null = null
  /** Adds sentences before a part that begins at a place. @returns where it begins then */
  const widenedFrom = (place: number): number => {
    let first = place
    while (words < LEAST_WORDS && first > 0 && !kept[first - 1] && !sentences[first - 1]?.isHeading) {
      first--
      kept[first] = 1
      words += wordsAt(first)
    }
    return first
  }
  for (const place of sentences.keys()) {
    if (place % MARKED_PER_STEP === 0) yield
    if (kept[place]) {
      start ??= place
      words += wordsAt(place)
      continue
    }
    if (start === null) continue
    start = widenedFrom(start)
    const joinsPart = start > 0 && kept[start - 1] === 1
    if (words >= LEAST_WORDS || joinsPart || sentences[place]?.isHeading) {
      start = null
      words = 0
    } else {
      kept[place] = 1
      words += wordsAt(place)
    }
  }
  if (start !== null) widenedFrom(start)
}

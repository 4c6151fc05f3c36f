import type { seededRandom } from '../../src/statistics/seeded-random.ts'

/** Uniform in [0,1). */
export type Random = ReturnType<typeof seededRandom>

const WORDS =
  'the of a and to in is was for on with as by at from it an be this which or are that pump valve harbour tide ledger pressure keeper seal turn open close record measure level gate water bell stone tower clerk signal'.split(
    ' ',
  )

/** A text of about `words` words in sentences of 8 to 20. */
export function wordsOf(random: Random, words: number): string {
  const sentences: string[] = []
  for (let left = words; left > 0; ) {
    const length = Math.min(left, 8 + Math.floor(random() * 13))
    sentences.push(
      `The ${Array.from({ length: length - 1 }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')}.`,
    )
    left -= length
  }
  return sentences.join(' ')
}

export type Random = () => number

/** Mulberry32: small, seeded, good enough to make bench inputs. Uniform in [0,1). */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

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

import { codePointStart } from '../core/prefix.ts'
import type { Steps } from '../core/steps.ts'

/** Length of a slice, in UTF-16 code units: a long text is read in slices, so that each step is short. */
const SLICE = 4_096
/** The end of a slice is looked for in its last code units: a space between two words. */
const SEAM = 256
const BETWEEN_WORDS = /.*[\p{L}\p{N}](?= \p{L})/su

/**
 * Cuts a text into slices of at most 4,096 UTF-16 code units, before a space between two words where there is one, else between two
 * code points. Concatenated they are the text. A text that is not longer is one slice.
 */
export function* slicesOf(text: string): Generator<string> {
  let start = 0
  while (text.length - start > SLICE) {
    const last = codePointStart(text, start + SLICE)
    const seam = codePointStart(text, last - SEAM)
    // The match ends before the last space of the slice that stands between two words.
    const [head] = BETWEEN_WORDS.exec(text.slice(seam, last)) ?? []
    const end = head === undefined ? last : seam + head.length
    yield text.slice(start, end)
    start = end
  }
  if (start < text.length || text === '') yield text.slice(start)
}

/** The distinct words of a text, in their order. @param wordsIn the words of a slice */
export function* distinctIn(text: string, wordsIn: (slice: string) => readonly string[]): Steps<Set<string>> {
  const found = new Set<string>()
  for (const slice of slicesOf(text)) {
    for (const word of wordsIn(slice)) found.add(word)
    yield
  }
  return found
}

import { groupBy } from '../../core/collections.ts'
import type { Span } from '../../core/types.ts'
import { comparableWord, unionOf, wordRanges, wordsOf } from './reference-words.ts'

/** Shortest run of words that counts as the same text. Shorter runs are common to texts that have nothing to do with each other. */
const RUN_WORDS = 5

/** What a text has in common with one gold passage. */
export interface CommonWords {
  /** Words of the gold passage that stand in the text. */
  found: number
  /** Words of the gold passage. */
  total: number
  /** Words of the text that stand in the gold passage. */
  inside: number
}

/** What a text has in common with the gold passages of one query. */
export interface CommonText {
  /** In the order of the gold passages. */
  golds: CommonWords[]
  /** Words of the text in any gold passage. */
  inside: number
  /** Words of the text. */
  words: number
}

/** The words that a text has in common with one gold passage: 1 for those that are common, else 0. */
export interface CommonMarks {
  /** By the words of the gold passage. */
  found: Uint8Array
  /** By the words of the text. */
  inside: Uint8Array
}

interface IndexedGold {
  words: string[]
  /** Words of a run: five, or all when the gold passage is shorter. */
  run: number
  /** Where a run can begin, by its first word. */
  starts: Map<string, number[]>
}

/**
 * Finds gold passages in other texts by their words, wherever the text comes from: a copy counts as the original does. Words are common when
 * they stand in a run of at least five equal words, or in the whole gold passage when it is shorter. Case, signs, white space and the composition of letters do not matter.
 */
export class GoldFinder {
  readonly #golds: IndexedGold[]

  constructor(golds: readonly string[]) {
    this.#golds = golds.map(gold => {
      const words = wordsOf(gold)
      const run = Math.min(RUN_WORDS, words.length)
      const places = run === 0 ? [] : [...words.slice(0, words.length - run + 1).keys()]
      const starts = groupBy(places, place => words[place] ?? '')
      return { words, run, starts }
    })
  }

  in(text: string): CommonText {
    const words = wordsOf(text)
    const insideAny = new Uint8Array(words.length)
    const golds = this.#marksIn(words).map(({ found, inside }) => {
      for (const [at, mark] of inside.entries()) if (mark === 1) insideAny[at] = 1
      return { found: count(found), total: found.length, inside: count(inside) }
    })
    return { golds, inside: count(insideAny), words: words.length }
  }

  /** Which words the text has in common with each gold passage, in the order of the gold passages. */
  marksIn(text: string): CommonMarks[] {
    return this.#marksIn(wordsOf(text))
  }

  #marksIn(words: readonly string[]): CommonMarks[] {
    return this.#golds.map(gold => {
      const found = new Uint8Array(gold.words.length)
      const inside = new Uint8Array(words.length)
      for (const [at, word] of words.entries()) {
        for (const start of gold.starts.get(word) ?? []) {
          if (!isRun(gold, start, words, at)) continue
          found.fill(1, start, start + gold.run)
          inside.fill(1, at, at + gold.run)
        }
      }
      return { found, inside }
    })
  }

  /** Ranges of `text` that a reader should see marked: its words that stand in any gold passage, with what is between neighbouring ones. */
  rangesIn(text: string): Span[] {
    const ranges = wordRanges(text)
    const words = ranges.map(({ start, end }) => comparableWord(text.slice(start, end)))
    const runs = words.flatMap((word, at) =>
      this.#golds.flatMap(gold =>
        (gold.starts.get(word) ?? []).some(start => isRun(gold, start, words, at))
          ? [{ start: ranges[at]?.start ?? 0, end: ranges[at + gold.run - 1]?.end ?? 0 }]
          : [],
      ),
    )
    return unionOf(runs)
  }
}

function isRun(gold: IndexedGold, start: number, words: readonly string[], at: number): boolean {
  if (at + gold.run > words.length) return false
  for (let offset = 1; offset < gold.run; offset++) if (gold.words[start + offset] !== words[at + offset]) return false
  return true
}

function count(marks: Uint8Array): number {
  let sum = 0
  for (const mark of marks) sum += mark
  return sum
}

import { withNamesApart } from '../terms/camel-case.ts'

/** What stands between words. The signs of sentences stay, because comments and messages are sentences; `-` stays in words. */
const BETWEEN_WORDS = /[^\p{L}\p{N}\n.,?'"-]+/gu

/**
 * Source code as words, for a model that learned sentences: the words of names apart, and no signs but those of sentences. Its lines are those of the code, and each depends on itself
 * alone, so an offset at the beginning of a line is the length of the words before it.
 */
export function wordsOfCode(code: string): string {
  return withNamesApart(code).replace(BETWEEN_WORDS, ' ')
}

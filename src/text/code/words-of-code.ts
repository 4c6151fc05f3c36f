import { withNamesApart } from '../terms/camel-case.ts'

/** What stands between words. Full stops, commas, question and quotation marks stay, because comments and messages are sentences; `-` stays in words. */
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}\n.,?'’"。，？-]+/gu

/**
 * Source code as words, for a model that learned sentences: the words of names apart, and next to no signs. Its lines are those of the code, and each depends on itself alone, so an offset
 * at the beginning of a line is the length of the words before it.
 */
export function wordsOfCode(code: string): string {
  return withNamesApart(code).replace(BETWEEN_WORDS, ' ')
}

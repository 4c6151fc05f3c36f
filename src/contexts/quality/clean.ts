import { inOneLine } from '../../text/printable.ts'

const FENCE = '```'
const QUOTED = /^(?:"([^"]*)"|“([^”]*)”|«([^»]*)»|'([^']*)')$/u
const TAG =
  /^<(?:context|contextual_description|summary|output|answer)>|<\/(?:context|contextual_description|summary|output|answer)>$/gu

/**
 * The text of a context as it is stored: without a code fence, tags or quotes around the whole, without control characters, in one line.
 * A model that wraps its text has still written one.
 */
export function cleanContext(text: string): string {
  const wrapped = withoutFence(text.trim())
  const untagged = wrapped.replace(TAG, '').trim()
  const [, double, curly, angled, single] = QUOTED.exec(untagged) ?? []
  return inOneLine((double ?? curly ?? angled ?? single ?? untagged).toWellFormed())
}

/** What stands between the lines of a code fence around the whole. */
function withoutFence(text: string): string {
  const end = text.length - FENCE.length
  const opening = text.indexOf('\n')
  const isFenced = text.startsWith(FENCE) && text.endsWith(FENCE) && opening >= 0 && opening < end
  return isFenced ? text.slice(opening, end).trim() : text
}

/** Where a sentence ends, before a space or at the end. */
const SENTENCE_END = /[.!?。！？]["”»')\]]?(?=\s|$)/gu

/** A text that broke off at the limit of its tokens, without the sentence that has no end. A text without any end of a sentence stays. */
export function withoutBrokenSentence(text: string): string {
  const last = [...text.matchAll(SENTENCE_END)].at(-1)
  return last === undefined ? text : text.slice(0, last.index + last[0].length)
}

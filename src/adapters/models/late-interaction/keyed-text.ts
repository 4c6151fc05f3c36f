import { contentHash } from '../../../text/fingerprint.ts'
import { readablePart } from '../pair-assembly.ts'
import { readingOf } from './reading.ts'

export interface KeyedText {
  text: string
  /** The same for equal texts only. Equal queries of two tenants have different ones. */
  key: string
}

/** A text with its key. Halves of surrogate pairs have one hash, so they become one text. */
function keyed(text: string): KeyedText {
  const wellFormed = text.toWellFormed()
  return { text: wellFormed, key: contentHash(wellFormed) }
}

/** A query of a tenant. Another tenant has another key for the same text, so that no time of an answer tells what was asked. */
export function keyedQuery(query: string, tenant: string | null | undefined): KeyedText {
  const { text, key } = keyed(query)
  return { text, key: `${key} ${tenant ?? ''}` }
}

/** What a model with a window of so many tokens reads of a passage, see `readingOf`. */
export const keyedPassage = (passage: string, maxTokens: number): KeyedText =>
  keyed(readingOf(readablePart(passage, maxTokens)))

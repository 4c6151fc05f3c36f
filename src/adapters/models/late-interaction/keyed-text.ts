import { contentHash } from '../../../text/fingerprint.ts'
import { readablePart } from '../pair-assembly.ts'

export interface KeyedText {
  text: string
  /** The same for equal texts only. */
  key: string
}

/** A text with its key. Halves of surrogate pairs have one hash, so they become one text. */
export function keyed(text: string): KeyedText {
  const wellFormed = text.toWellFormed()
  return { text: wellFormed, key: contentHash(wellFormed) }
}

/** What a model with a window of so many tokens can read of a passage. */
export const keyedPassage = (passage: string, maxTokens: number): KeyedText => keyed(readablePart(passage, maxTokens))

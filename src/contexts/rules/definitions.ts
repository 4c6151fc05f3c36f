import type { Sentence } from './document-notes.ts'

/** A sentence that says what a term means. */
export interface Definition extends Sentence {
  /** As it is written there, for example `PDPA` or `Level 3 travel`. */
  term: string
}

/** Longer sentences say more than what a term means. */
const LONGEST = 400
const PATTERNS = [
  // Personal Data Protection Act (PDPA)
  /(?:\p{Lu}[\p{L}\d-]*\s(?:(?:of|and|for|the|to|in|on)\s)?){2,8}\((\p{Lu}[\p{Lu}\d&-]{1,9})s?\)/u,
  // "Confidential Information" means …
  /["“”']([^"“”']{2,60})["“”'],?\s(?:means|mean|shall mean|refers to|is defined as|denotes)\b/u,
  /^(?:An?\s|The\s)?(\p{L}[\p{L}\d -]{2,40}?)\s(?:means|refers to|is defined as|denotes|stands for)\s/u,
  // **Level 3 travel**: … and `chunk_size` is …
  /^(?:[-*+•]\s+)?\*\*([^*]{2,60}?):?\*\*\s*(?:[:–—-]|is\b|are\b)/u,
  /^(?:[-*+•]\s+)?`([^`]{2,60})`\s*(?:[:–—-]|is\b|are\b)/u,
]

/** The definition in a sentence; null when it holds none. */
export function definitionIn(sentence: Sentence): Definition | null {
  if (sentence.text.length > LONGEST) return null
  for (const pattern of PATTERNS) {
    const term = pattern.exec(sentence.text)?.[1]?.trim()
    if (term !== undefined && term !== '') return { ...sentence, term }
  }
  return null
}

import { contentHash } from '../text/fingerprint.ts'

/** How query text is shown: not at all, as a digest that is equal for equal texts, or as it is. */
export type QueryTextMode = 'off' | 'hash' | 'text'

/** @returns null when nothing is to be shown */
export function shownQuery(query: string | null, mode: QueryTextMode): string | null {
  if (query === null || mode === 'off') return null
  return mode === 'text' ? query : hashedQuery(query)
}

/** A digest of a query. Someone who guesses the text can check the guess: it hides texts, and does not protect short ones. */
export function hashedQuery(query: string): string {
  return `sha256:${contentHash(query)}`
}

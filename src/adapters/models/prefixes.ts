import { fingerprint } from '../../text/fingerprint.ts'

/** Texts that stand before every query and every passage when they are embedded; '' for none. */
export interface EmbeddingPrefixes {
  query: string
  passage: string
}

export const NO_PREFIXES: EmbeddingPrefixes = { query: '', passage: '' }

/** The part of an embedder's version that stands for prefixes, because vectors of other prefixes cannot be compared; '' without any. */
export function prefixMark(prefixes: EmbeddingPrefixes): string {
  return prefixes.query === '' && prefixes.passage === '' ? '' : `_${fingerprint(prefixes).slice(0, 8)}`
}

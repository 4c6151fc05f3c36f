import type { Prefetch } from './prefetch.ts'
import type { UnderstoodQuery } from './understand.ts'

/** The dense vectors of a search, each once, in the order of its prefetches. */
export function queryVectors({ prefetches }: UnderstoodQuery): number[][] {
  const dense = prefetches.filter(({ kind, text }) => kind === 'dense' && text === null)
  return [...new Set(dense.map(({ query }) => query))].map(vectorOf)
}

/** @param raw a dense vector that was understood: numbers, bare or under `nearest` */
function vectorOf(raw: Prefetch['query']): number[] {
  const parsed: number[] | { nearest: number[] } = JSON.parse(raw)
  return Array.isArray(parsed) ? parsed : parsed.nearest
}

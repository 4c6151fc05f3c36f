import type { PendingVector, SearchRequest } from '../../src/core/ports.ts'

/** The vector of a search, once it is there. */
export async function vectorOf(dense: SearchRequest['dense']): Promise<number[] | null> {
  const vector = dense && 'vector' in dense ? await dense.vector : dense
  return vector && Array.from(vector)
}

/** A vector that an embedder is computing; null means that it fails. */
export function pending(
  vector: number[] | Promise<number[]> | null,
  dimensions: number,
  embedderVersion = 'embedder/1',
): PendingVector {
  const later = Promise.resolve(vector).then(known => known && Float32Array.from(known))
  return { dimensions, embedderVersion, vector: later }
}

import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { BoundedCache } from '../../text/bounded-cache.ts'
import { contentHash } from '../../text/fingerprint.ts'

const CACHED_QUERIES = 256

/** Scales a vector to length 1. @throws Error when it is zero or not finite */
export function unitVector(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (!Number.isFinite(norm) || norm === 0) throw new Error('the model returned a vector that is zero or not finite')
  return vector.map(value => value / norm)
}

/**
 * Caches the vectors of the latest queries of each tenant, and returns copies, because callers may change them. A tenant cannot tell by the
 * time of an answer what another one has asked.
 */
export function rememberQueries(
  embed: (texts: string[], signal?: AbortSignal, tenant?: string | null) => Promise<Float32Array[]>,
): Embedder['embedQuery'] {
  const cache = new BoundedCache<string, Float32Array>({ entries: CACHED_QUERIES })
  return async (text, signal, tenant) => {
    const key = contentHash(JSON.stringify([tenant ?? null, text]))
    const vector = cache.get(key) ?? (await embed([text], signal, tenant))[0]
    if (vector === undefined) throw new StowageError('upstream_error', 'The model returned no vector for the query.')
    cache.set(key, vector)
    return vector.slice()
  }
}

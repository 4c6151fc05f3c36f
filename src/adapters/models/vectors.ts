import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { BoundedCache } from '../../text/bounded-cache.ts'
import { contentHash } from '../../text/fingerprint.ts'

const CACHED_QUERIES = 256

/** The vector scaled to length 1; a vector without a direction is an error. */
export function unitVector(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  if (!Number.isFinite(norm) || norm === 0) throw new Error('the model gave a vector without a direction')
  return vector.map(value => value / norm)
}

/** Embeds single queries and remembers the vectors of the last 256. Gives copies, for the caller may change what it gets. */
export function rememberQueries(
  embed: (texts: string[], signal: AbortSignal | undefined) => Promise<Float32Array[]>,
): Embedder['embedQuery'] {
  const known = new BoundedCache<string, Float32Array>({ entries: CACHED_QUERIES })
  return async (text, signal) => {
    const key = contentHash(text)
    const vector = known.get(key) ?? (await embed([text], signal))[0]
    if (vector === undefined) throw new StowageError('upstream_error', 'The model gave no vector for the query.')
    known.set(key, vector)
    return vector.slice()
  }
}

import type { ContextChunk } from '../pipeline/context-request.ts'
import type { Trace } from '../pipeline/trace/schema.ts'

/** A packed chunk, and whether its text stands earlier in the context already. */
export interface MarkedChunk {
  chunk: ContextChunk
  repeated: boolean
}

/**
 * Marks the chunks that repeat an earlier one: the trace of stowage names the same original for both (`evidence.of`), or one of
 * them as the original of the other.
 */
export function markRepeated(chunks: readonly ContextChunk[], trace: Trace | undefined): MarkedChunk[] {
  const originals = new Map(
    trace?.candidates.flatMap(({ collection, id, reason, evidence }) =>
      reason === 'duplicate' && evidence?.of ? [[`${collection}/${id}`, evidence.of]] : [],
    ),
  )
  const seen = new Set<string>()
  return chunks.map(chunk => {
    const key = `${chunk.collection}/${chunk.id}`
    const original = originals.get(key) ?? key
    const repeated = seen.has(original)
    seen.add(original)
    return { chunk, repeated }
  })
}

export function repeatedTokens(chunks: readonly MarkedChunk[]): number {
  return chunks.reduce((sum, { chunk, repeated }) => sum + (repeated ? chunk.tokens : 0), 0)
}

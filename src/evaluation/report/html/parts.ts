import { promisify } from 'node:util'
import { constants, deflateRaw } from 'node:zlib'

const deflate = promisify(deflateRaw)

/** A part of the file, which the page reads when it is wanted: JSON, compressed (deflate without a header), as base64. */
export async function encodePart(value: unknown): Promise<string> {
  const packed = await deflate(JSON.stringify(value), { level: constants.Z_BEST_COMPRESSION })
  return packed.toString('base64')
}

/** What one query can show beside its figures. */
export interface QueryParts {
  contexts: string | null
  candidates: string | null
}

/**
 * Chooses the parts that fit into `bytes`. Contexts are left out first, then candidates, each from the query of least interest on.
 * @returns those that are kept, by query in the given order, and the numbers of those that did not fit
 * @param interest by query; for example the largest difference between arms
 */
export function fittingParts(parts: readonly QueryParts[], interest: readonly number[], bytes: number) {
  const kept: QueryParts[] = parts.map(part => ({ ...part }))
  const leftOut = { contexts: 0, candidates: 0 }
  const byInterest = kept.map((_, index) => index).sort((left, right) => (interest[left] ?? 0) - (interest[right] ?? 0))
  let size = kept.reduce((sum, { contexts, candidates }) => sum + sizeOf(contexts) + sizeOf(candidates), 0)
  for (const kind of ['contexts', 'candidates'] as const)
    for (const index of byInterest) {
      const part = kept[index]
      if (size <= bytes) return { kept, leftOut }
      if (!part || part[kind] === null) continue
      size -= sizeOf(part[kind])
      part[kind] = null
      leftOut[kind] += 1
    }
  return { kept, leftOut }
}

/** A part and the line end behind it. */
function sizeOf(part: string | null): number {
  return part === null ? 0 : part.length + 1
}

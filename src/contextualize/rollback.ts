import { chunkHash } from '../contexts/context-stamp.ts'
import type { Embedder } from '../core/ports.ts'
import { isOfStowage, isPlain, keyOf } from './documents/survey.ts'
import { type Encoding, encodeTexts, onlyStored, plainText, replacedVectors } from './encoding/encode.ts'
import type { LiveCollection, LivePoint, PointChange } from './live-collection.ts'
import type { FormerVectors } from './state/former-vectors.ts'

const BATCH = 100
/** Of one batch, while others change its texts. */
const MOST_ATTEMPTS = 5

/** What is known of the former vectors. */
type KnownFormer = Pick<FormerVectors, 'find' | 'isUnsure'>

/** What several journals know together. The first one that knows a point counts. */
export const allFormer = (journals: readonly KnownFormer[]): KnownFormer => ({
  find: (id, hash) => journals.map(journal => journal.find(id, hash)).find(found => found !== null) ?? null,
  isUnsure: (id, hash) => journals.some(journal => journal.isUnsure(id, hash)),
})

interface RollbackDependencies {
  collection: LiveCollection
  embedder: Embedder | null
  /** How vectors are made that are not in the state; null when none can be made. */
  encoding: Encoding | null
  former: KnownFormer
}

export interface RollbackResult {
  /** Points whose former vectors are back. */
  restored: number
  /** Points that were encoded anew without their context, because their former vectors are not known or their text has changed. */
  encoded: number
  /** Points that lost the fields of a context only: their vectors do not see it, or nothing can encode them. */
  payloadOnly: number
}

/**
 * Takes the contexts out of a collection: former vectors come back as the server had printed them, and the fields of contexts are
 * removed. It can be repeated at any time, and goes on where an interrupted one ended, because it looks at the points only.
 */
export async function rollBack(
  dependencies: RollbackDependencies,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<RollbackResult> {
  const { collection, former } = dependencies
  const result: RollbackResult = { restored: 0, encoded: 0, payloadOnly: 0 }
  let batch: LivePoint[] = []
  const flush = async () => {
    if (batch.length > 0) await rollBackPoints(batch, dependencies, result, signal)
    batch = []
    onProgress(result.restored + result.encoded + result.payloadOnly)
  }
  for await (const page of collection.pages()) {
    for (const point of page) {
      if (isOfStowage(point) || former.isUnsure(point.id, chunkHash(point.chunk))) batch.push(point)
      if (batch.length < BATCH) continue
      signal.throwIfAborted()
      await flush()
    }
  }
  await flush()
  return result
}

/** Others may change texts meanwhile: those points get the vectors of their new texts. */
async function rollBackPoints(
  found: readonly LivePoint[],
  dependencies: RollbackDependencies,
  result: RollbackResult,
  signal: AbortSignal,
): Promise<void> {
  const { collection, encoding } = dependencies
  const names = encoding ? replacedVectors(encoding) : []
  let ids = found.map(({ id }) => id)
  for (let attempt = 0; attempt < MOST_ATTEMPTS && ids.length > 0; attempt++) {
    signal.throwIfAborted()
    const before = await collection.read(ids, names)
    await writeFormer(before, dependencies, result, signal)
    const hashes = new Map(before.map(({ id, chunk }) => [keyOf(id), chunkHash(chunk)]))
    const after = await collection.read(ids)
    ids = after.filter(({ id, chunk }) => hashes.get(keyOf(id)) !== chunkHash(chunk)).map(({ id }) => id)
  }
}

async function writeFormer(
  points: readonly LivePoint[],
  { collection, embedder, encoding, former }: RollbackDependencies,
  result: RollbackResult,
  signal: AbortSignal,
): Promise<void> {
  const known = points.map(({ id, chunk }) => former.find(id, chunkHash(chunk)))
  const unknown = points.filter((point, index) => known[index] === null && !(isOfStowage(point) && isPlain(point)))
  const texts = unknown.map(({ chunk }) => plainText(chunk, encoding?.plain ?? 'text'))
  const encoded = encoding === null ? [] : await encodeTexts(texts, encoding, embedder, signal)
  const fresh = new Map(unknown.map((point, index) => [point, onlyStored(encoded[index], point)]))
  const changes = points.map((point, index): PointChange => {
    const vectors = known[index] ?? fresh.get(point) ?? new Map<string, string>()
    return { id: point.id, vectors, fields: null }
  })
  if (changes.length > 0) await collection.write(changes)
  const restored = known.filter(vectors => vectors !== null).length
  const encodedAnew = encoding === null ? 0 : unknown.length
  result.restored += restored
  result.encoded += encodedAnew
  result.payloadOnly += points.length - restored - encodedAnew
}

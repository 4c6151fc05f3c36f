import type { ChunkContext } from '../contexts/context.ts'
import { chunkHash, contextStamp, isPostponed, storedVersion } from '../contexts/context-stamp.ts'
import { contextFields } from '../contexts/payload-fields.ts'
import type { ContextualizeDependencies } from './dependencies.ts'
import { documentKeys, isPlain, isUpToDate, keyOf, refuseForeignFields } from './documents/survey.ts'
import type { ContextTask } from './documents/tasks.ts'
import { contextualText, encodeTexts, onlyStored, replacedVectors } from './encoding/encode.ts'
import type { LivePoint, PointChange } from './live-collection.ts'

/** A context that waits for its batch. */
export interface WrittenContext extends Pick<ContextTask, 'id' | 'hash' | 'key' | 'document'> {
  context: ChunkContext
}

/** What became of a batch. */
export interface StoredBatch {
  stored: number
  /** Those of them that are of the rules, in the place of those of the model. */
  fallbacks: number
  /** Keys of the points whose model could not be reached: the next run asks it again. */
  postponed: string[]
  /** Keys of the points whose text others have changed since their context was written. */
  changed: string[]
}

/**
 * Stores a batch of contexts with the vectors that see them. Former vectors are on the disk before they are replaced. Points that have
 * gone are passed over. Those whose text, document or readers have changed get nothing: their context was written for another text, or from
 * texts that their readers of now may not see.
 */
export async function storeContexts(
  batch: readonly WrittenContext[],
  dependencies: ContextualizeDependencies,
  signal: AbortSignal,
): Promise<StoredBatch> {
  const { collection, writer, partition, encoding, embedder, state } = dependencies
  const written = new Map(batch.map(item => [keyOf(item.id), item]))
  const ids = batch.map(({ id }) => id)
  const points = await collection.read(ids, encoding ? replacedVectors(encoding) : [])
  const documents = await documentKeys(points, partition)
  const current = points.flatMap((point, index) => {
    const item = written.get(keyOf(point.id))
    const isSame = item?.hash === chunkHash(point.chunk) && item.document.key === documents[index]
    return isSame ? [{ point, context: item.context }] : []
  })
  for (const { point } of current) refuseForeignFields(point)
  const texts = current.map(({ point, context }) => contextualText(point.chunk, context.text))
  const vectors = encoding ? await encodeTexts(texts, encoding, embedder, signal) : []
  const changes = current.map(
    ({ point, context }, index): PointChange => ({
      id: point.id,
      vectors: onlyStored(vectors[index], point),
      fields: contextFields(context, contextStamp(storedVersion(context, writer.version, isPlain(point)), point.chunk)),
    }),
  )
  state.former.add(current.filter(({ point }) => isUntouched(point)).map(({ point }) => formerOf(point)))
  if (changes.length > 0) await collection.write(changes)
  state.former.written(current.map(({ point }) => formerOf(point)))
  state.contexts.checkpoint(batch.map(({ key }) => key))
  const after = await collection.read(ids)
  const ends = after.flatMap(point => {
    const key = keyOf(point.id)
    const context = written.get(key)?.context
    return context ? [{ key, context, isKept: isUpToDate(point, storedVersion(context, writer.version)) }] : []
  })
  const kept = ends.filter(({ isKept }) => isKept)
  return {
    stored: kept.length,
    fallbacks: kept.filter(({ context }) => context.fallback !== null).length,
    postponed: kept.filter(({ context }) => isPostponed(context)).map(({ key }) => key),
    changed: ends.filter(({ isKept }) => !isKept).map(({ key }) => key),
  }
}

/** Whether the vectors of a point are as its owner wrote them. A stamp of any text that they see says that they are ours. */
const isUntouched = (point: LivePoint): boolean => isPlain(point) && point.vectors.size > 0

const formerOf = ({ id, chunk, vectors }: LivePoint) => ({ id, hash: chunkHash(chunk), vectors })

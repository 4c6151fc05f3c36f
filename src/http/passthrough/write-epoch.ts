import { isRead, readCollectionPath } from '../../qdrant/paths.ts'
import type { Step } from '../step.ts'

/**
 * Called when the data of a collection may have changed; null means any collection. A promise resolves when other processes know it, too,
 * or cannot be told. It never rejects.
 */
export type BumpEpoch = (collection: string | null) => unknown

/**
 * Detects writes among forwarded requests. It bumps the epoch before the write, so that no older cached answer is served during
 * it, and again after it, so that the answer of a concurrent read is not cached.
 */
export function writeEpoch(bumpEpoch: BumpEpoch): Step {
  return function watchWrites(request, response, next) {
    const touched = isRead(request.method, request.originalUrl) ? undefined : touchedBy(request.originalUrl)
    if (touched === undefined) return next()
    response.once('close', () => bumpEpoch(touched))
    const told = bumpEpoch(touched)
    if (!(told instanceof Promise)) return next()
    // The client can have left meanwhile.
    return told.then(() => (response.destroyed ? undefined : next()))
  }
}

/** The collection that a request writes to; null means all, undefined none. */
function touchedBy(requestTarget: string): string | null | undefined {
  const path = readCollectionPath(requestTarget)
  if (path === null) return /^\/(?:snapshots|cluster)\b/.test(requestTarget) ? null : undefined
  // Only Qdrant can resolve aliases.
  return path.collection === 'aliases' && path.rest === '' ? null : path.collection
}

import type { RequestHandler } from 'express'
import { isRead, readCollectionPath } from '../../qdrant/paths.ts'

/** Told that a collection's data may have changed; null means any of them. */
export type BumpEpoch = (collection: string | null) => void

/**
 * Sees the writes among passed-through requests. It bumps before the write, so that nothing cached earlier is served while
 * it runs, and after it, so that a read that raced it is not kept.
 */
export function writeEpoch(bumpEpoch: BumpEpoch): RequestHandler {
  return function watchWrites(request, response, next) {
    const touched = isRead(request.method, request.originalUrl) ? undefined : touchedBy(request.originalUrl)
    if (touched !== undefined) {
      bumpEpoch(touched)
      response.once('close', () => bumpEpoch(touched))
    }
    next()
  }
}

/** The collection that a writing request touches, null for all, undefined for none. */
function touchedBy(requestTarget: string): string | null | undefined {
  const path = readCollectionPath(requestTarget)
  if (path === null) return /^\/(?:snapshots|cluster)\b/.test(requestTarget) ? null : undefined
  // What an alias stands for is known to Qdrant only.
  return path.collection === 'aliases' && path.rest === '' ? null : path.collection
}

import { LRUCache } from 'lru-cache'
import type { Side } from './side.ts'

/** The sides of texts by key; the one that was not used for longest goes first. */
export interface KeptSides {
  has(key: string): boolean
  /**
   * The side of a text, or a promise while it is being encoded. Undefined, also from the promise: it is not kept. Whoever finds that must
   * encode it, and call `keep` before anyone else can ask.
   */
  find(key: string): Side | undefined | Promise<Side | undefined>
  /** Keeps the side that `encoding` gives; nothing when it fails or gives null. */
  keep(key: string, encoding: Promise<Side | null>): void
}

/** @param maxBytes largest sum of the sides; a side that is larger is not kept */
export function createKeptSides(maxBytes: number): KeptSides {
  const kept = new LRUCache<string, Side>({ maxSize: maxBytes, sizeCalculation: side => side.byteLength })
  const underWay = new Map<string, Promise<Side | undefined>>()
  return {
    has: key => kept.has(key),
    find: key => kept.get(key) ?? underWay.get(key),
    keep(key, encoding) {
      const settled = encoding
        .catch(() => null)
        .then(side => {
          underWay.delete(key)
          if (side !== null) kept.set(key, side)
          return side ?? undefined
        })
      underWay.set(key, settled)
    },
  }
}

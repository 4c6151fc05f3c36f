import { LRUCache } from 'lru-cache'
import type { SideFolder } from './folder/side-folder.ts'
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
  /** The sides that are in memory or in the folder. A caller holds them, because memory may have no room for all. */
  load(keys: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Side>>
}

/**
 * @param maxBytes largest sum of the sides in memory; a side that is larger is not kept there
 * @param folder takes each side, too, and has those of earlier processes; null: memory only
 */
export function createKeptSides(
  maxBytes: number,
  folder: Pick<SideFolder, 'readAll' | 'write'> | null = null,
): KeptSides {
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
          if (side === null) return undefined
          kept.set(key, side)
          folder?.write(key, side)
          return side
        })
      underWay.set(key, settled)
    },
    async load(keys, signal) {
      const loaded = new Map<string, Side>()
      for (const key of keys) {
        const side = kept.get(key)
        if (side !== undefined) loaded.set(key, side)
      }
      const missing = new Set(keys.filter(key => !loaded.has(key) && !underWay.has(key)))
      if (folder === null || missing.size === 0) return loaded
      for (const [key, side] of await folder.readAll([...missing], signal)) {
        kept.set(key, side)
        loaded.set(key, side)
      }
      return loaded
    },
  }
}

/**
 * A cache of at most `capacity` entries that forgets the least recently used. Keys and values are kept as they are:
 * whoever fills it sees to it that each is small.
 */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Value>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    if (this.#capacity < 1) return
    this.#entries.delete(key)
    if (this.#entries.size >= this.#capacity) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest)
        break
      }
    }
    this.#entries.set(key, value)
  }
}

/** A copy that shares no memory with the text it was sliced from, so that a cached slice cannot keep a whole document alive. */
export function detached(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

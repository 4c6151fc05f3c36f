/**
 * A cache of at most `capacity` entries; an odd number counts as the next even one, 0 keeps nothing. It forgets by generations: when half the capacity is filled anew, what was not asked
 * for meanwhile goes all at once. An exact order of use would cost each lookup more than what is cached here.
 * Keys and values are kept as they are: whoever fills it sees to it that each is small.
 */
export class BoundedCache<Key, Value> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#young.size + this.#old.size
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key)
    if (value !== undefined) return value
    const older = this.#old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: Key, value: Value): void {
    if (this.#capacity < 1) return
    this.#old.delete(key)
    if (this.#young.size >= this.#capacity / 2 && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }
}

/** A copy that shares no memory with the text it was sliced from, so that a cached slice cannot keep a whole document alive. */
export function detached(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

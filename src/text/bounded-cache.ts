import { contentHash } from './fingerprint.ts'

export interface CacheLimits<Value> {
  /** An odd number counts as the next even one; 0 keeps nothing. */
  entries: number
  /** Bound on the sum of `weigh` over the values kept. A value above half of it is not kept. */
  weight?: number
  /** What a value weighs, 0 or above; the same value must always weigh the same. Default 1. */
  weigh?: (value: Value) => number
}

/**
 * Approximate LRU with two generations: when the young one holds half of a limit it becomes the old one, and the previous
 * old one is dropped. An exact order of use would cost each lookup more than what is cached here.
 */
export class BoundedCache<Key, Value> {
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()
  #youngWeight = 0
  readonly #entries: number
  readonly #weight: number
  readonly #weigh: (value: Value) => number

  constructor({ entries, weight = Number.POSITIVE_INFINITY, weigh = () => 1 }: CacheLimits<Value>) {
    this.#entries = entries
    this.#weight = weight
    this.#weigh = weigh
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
    this.#forget(key)
    const weight = this.#weigh(value)
    if (this.#entries < 1 || weight > this.#weight / 2) return
    if (this.#young.size >= this.#entries / 2 || this.#youngWeight + weight > this.#weight / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngWeight = 0
    }
    this.#young.set(key, value)
    this.#youngWeight += weight
  }

  #forget(key: Key): void {
    this.#old.delete(key)
    const value = this.#young.get(key)
    if (value === undefined) return
    this.#young.delete(key)
    this.#youngWeight -= this.#weigh(value)
  }
}

/** Longer texts are known by their hash, so that no cache keeps a whole document as a key. */
const LONGEST_KEY = 200

/** A function of a text alone that remembers its values for the texts it was asked for last. */
export function remembered<Value>(read: (text: string) => Value, limits: CacheLimits<Value>): (text: string) => Value {
  const cache = new BoundedCache<string, Value>(limits)
  return text => {
    const key = text.length <= LONGEST_KEY ? text : contentHash(text)
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = read(text)
    cache.set(key === text ? detached(text) : key, value)
    return value
  }
}

/** A copy that shares no memory with the text it was sliced from, so that a cached slice cannot keep a whole document alive. */
export function detached(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

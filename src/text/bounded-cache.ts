import { getOrInsert } from '../core/collections.ts'
import type { Steps } from '../core/steps.ts'
import { contentHash } from './fingerprint.ts'

interface CacheLimits<Value> {
  /** Largest number of entries, rounded up to an even number; 0 switches the cache off. */
  entries: number
  /** Largest sum of the weights. A value that weighs more than half of it is not stored. */
  weight?: number
  /** Weight of a value, 0 or above, the same at every call; default 1. */
  weigh?: (value: Value) => number
}

/**
 * Approximate LRU with two generations: when the young one holds half of a limit it becomes the old one, and the previous
 * old one is dropped. Faster than exact LRU (lru-cache: warm token counts take 1.15 times as long).
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
    this.#old.delete(key)
    const previous = this.#young.get(key)
    if (previous !== undefined && this.#young.delete(key)) this.#youngWeight -= this.#weigh(previous)
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
}

/** The keys of longer texts are hashes, so that a cache does not hold whole documents. In UTF-16 code units. */
const LONGEST_KEY = 200

/** Adds a cache to a function that depends on its text only. */
export function remembered<Value>(read: (text: string) => Value, limits: CacheLimits<Value>): (text: string) => Value {
  const cache = new BoundedCache<string | bigint, Value>(limits)
  return text => {
    const key = keyOf(text)
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = read(text)
    cache.set(key === text ? detached(text) : key, value)
    return value
  }
}

/** Adds a cache to steps whose result depends on their text only. */
export function rememberedSteps<Value>(
  read: (text: string) => Steps<Value>,
  limits: CacheLimits<Value>,
): (text: string) => Steps<Value> {
  const cache = new BoundedCache<string | bigint, Value>(limits)
  return function* readOnce(text) {
    const key = keyOf(text)
    const known = cache.get(key)
    if (known !== undefined) return known
    const value = yield* read(text)
    cache.set(key === text ? detached(text) : key, value)
    return value
  }
}

/** Adds a cache to a function of an object that does not change. A value stays as long as its object. */
export function rememberedByObject<Key extends object, Value>(read: (object: Key) => Value): (object: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return object => getOrInsert(values, object, () => read(object))
}

/** A hash is a number, so that no text is the key of another one. */
function keyOf(text: string): string | bigint {
  return text.length <= LONGEST_KEY ? text : BigInt(`0x${contentHash(text)}`)
}

/** Copies a slice. A slice itself refers to the whole text, which a cache would then keep in memory. */
export function detached(slice: string): string {
  return Buffer.from(slice, 'utf16le').toString('utf16le')
}

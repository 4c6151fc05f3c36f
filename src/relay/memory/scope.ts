import { LRUCache } from 'lru-cache'
import type { LookupResult } from '../../observe/metrics/relay.ts'
import { directionOf, isSameDirection, signsOf, vectorKey } from './vector.ts'

export interface Lookup {
  /** Null unless the question was found. */
  text: string | null
  result: LookupResult
}

interface Entry {
  key: string
  /** The question as it was embedded last; null when the vector stands for different questions. */
  text: string | null
  direction: Float32Array | null
}

interface ScopeLimits {
  /** Largest weight of a scope: see `weightOf`. */
  weight: number
  /** Milliseconds. */
  ttlMs: number
  /** Milliseconds of a monotonic clock. */
  now: () => number
}

/**
 * Most vectors of equal signs that are compared. Vectors of usual models share their first 32 signs with no other; where all values are positive,
 * the older ones are found by their exact values only.
 */
const MOST_ALIKE = 1_000

/** UTF-16 units of a question that weigh as much as one vector. */
const UNITS_OF_WEIGHT = 1_024

/** What an entry counts: 1, and more for a long question, so that a number of vectors bounds the text, too. */
export function weightOf(text: string | null): number {
  return Math.max(1, Math.ceil((text ?? '').length / UNITS_OF_WEIGHT))
}

/** The questions that one tenant, or one key, had embedded, by their vectors. The least recently used ones go first. */
export class Scope {
  readonly #entries: LRUCache<string, Entry>
  readonly #bySigns = new Map<number, Set<Entry>>()

  constructor({ weight, ttlMs, now }: ScopeLimits) {
    this.#entries = new LRUCache({
      maxSize: weight,
      sizeCalculation: ({ text }) => weightOf(text),
      ttl: ttlMs,
      ttlResolution: 0,
      perf: { now },
      dispose: entry => this.#forgetDirection(entry),
    })
  }

  get weight(): number {
    return this.#entries.calculatedSize
  }

  get size(): number {
    return this.#entries.size
  }

  /** A vector of different questions stands for none of them: see `isSameQuestion`. */
  remember(vector: Float32Array, text: string): void {
    const key = vectorKey(vector)
    const known = this.#entries.get(key)
    const isOneQuestion = known === undefined || (known.text !== null && isSameQuestion(known.text, text))
    const entry: Entry = { key, text: isOneQuestion ? text : null, direction: directionOf(vector) }
    this.#entries.set(key, entry)
    if (entry.direction === null || this.#entries.peek(key) !== entry) return
    const signs = signsOf(entry.direction)
    const alike = this.#bySigns.get(signs) ?? new Set()
    this.#bySigns.set(signs, alike.add(entry))
    const [oldest] = alike
    if (oldest !== undefined && alike.size > MOST_ALIKE) alike.delete(oldest)
  }

  find(vector: Float32Array): Lookup {
    const exact = this.#entries.get(vectorKey(vector))
    if (exact !== undefined) return exact.text === null ? AMBIGUOUS : { text: exact.text, result: 'exact' }
    const direction = directionOf(vector)
    if (direction === null) return UNKNOWN
    let found: string | null = null
    for (const entry of this.#bySigns.get(signsOf(direction)) ?? []) {
      if (entry.direction === null || !isSameDirection(entry.direction, direction)) continue
      // An entry that is too old is dropped by this.
      if (this.#entries.get(entry.key) !== entry) continue
      if (entry.text === null || (found !== null && !isSameQuestion(found, entry.text))) return AMBIGUOUS
      found = entry.text
    }
    return found === null ? UNKNOWN : { text: found, result: 'direction' }
  }

  /** Drops the least recently used question. */
  dropOne(): void {
    this.#entries.pop()
  }

  dropExpired(): void {
    this.#entries.purgeStale()
  }

  #forgetDirection(entry: Entry): void {
    if (entry.direction === null) return
    const signs = signsOf(entry.direction)
    const alike = this.#bySigns.get(signs)
    alike?.delete(entry)
    if (alike?.size === 0) this.#bySigns.delete(signs)
  }
}

export const UNKNOWN: Lookup = { text: null, result: 'unknown' }
export const AMBIGUOUS: Lookup = { text: null, result: 'ambiguous' }

/** Whether two texts are one question: they differ in nothing but case and white space, which many models do not see. */
export function isSameQuestion(one: string, other: string): boolean {
  return one === other || plain(one) === plain(other)
}

function plain(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
}

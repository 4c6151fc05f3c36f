import type { PointId } from '../../core/types.ts'
import { keyOf } from '../documents/survey.ts'

/** A point that waits for its context. */
export interface WaitingPoint {
  id: PointId
  /** How often it is looked at once more when it is not there yet, or looks done. */
  looks: number
}

export function waitingPoints(ids: readonly PointId[], looks: number): WaitingPoint[] {
  return ids.map(id => ({ id, looks }))
}

export interface QueueLimits {
  points: number
  /** An estimate of the memory, in bytes. */
  bytes: number
}

/** Of an entry of a map with its objects, without the text of the id. */
const ENTRY_BYTES = 150

/** Ids of points that wait, by collection, each once. It holds no texts. What does not fit is dropped. */
export class PointQueue {
  readonly #limits: QueueLimits
  readonly #waiting = new Map<string, Map<string, WaitingPoint>>()
  #points = 0
  #bytes = 0

  constructor(limits: QueueLimits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#points
  }

  /** The collections with points that wait. The one that was served last comes last. */
  collections(): string[] {
    return [...this.#waiting.keys()]
  }

  /** @returns how many points did not fit */
  add(collection: string, points: readonly WaitingPoint[]): number {
    const waiting = this.#waiting.get(collection) ?? new Map<string, WaitingPoint>()
    let dropped = 0
    for (const point of points) {
      const key = keyOf(point.id)
      const bytes = bytesOf(key)
      if (waiting.has(key)) waiting.set(key, point)
      else if (this.#points >= this.#limits.points || this.#bytes + bytes > this.#limits.bytes) dropped++
      else {
        waiting.set(key, point)
        this.#points++
        this.#bytes += bytes
      }
    }
    if (waiting.size > 0) this.#waiting.set(collection, waiting)
    return dropped
  }

  /** Takes the points that have waited longest. */
  take(collection: string, most: number): WaitingPoint[] {
    const waiting = this.#waiting.get(collection)
    if (waiting === undefined) return []
    const taken = firstOf(waiting, most)
    for (const [key] of taken) {
      waiting.delete(key)
      this.#points--
      this.#bytes -= bytesOf(key)
    }
    this.#waiting.delete(collection)
    if (waiting.size > 0) this.#waiting.set(collection, waiting)
    return taken.map(([, point]) => point)
  }
}

const bytesOf = (key: string): number => ENTRY_BYTES + 2 * key.length

function firstOf<Item>(items: Iterable<Item>, most: number): Item[] {
  const found: Item[] = []
  for (const item of items) {
    if (found.length === most) break
    found.push(item)
  }
  return found
}

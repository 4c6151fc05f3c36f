import FlatQueue from 'flatqueue'
import { addTo } from '../core/collections.ts'
import type { Steps } from '../core/steps.ts'
import { distinctIn } from '../text/slices.ts'
import { rawWords } from '../text/terms/terms.ts'
import { textOf, type Unit } from './unit.ts'

export interface QueuedUnit {
  unit: Unit
  /** Its value when it was taken from the queue. */
  marginal: number
  /** Whether it was put back before. Then its marginal value is fixed. */
  isPutBack: boolean
  /** Its distinct words; none when novelty is off. */
  words: readonly string[]
  /** Number of its words that are packed already. */
  packed: number
}

/**
 * Units in the order of filling: as given, or by marginal value once novelty or a soft cap can change the order. Marginal values
 * only decrease, so a value in the ranking is an upper bound and is computed again when it comes first (Minoux 1978, "Accelerated
 * greedy algorithms"). All work together is linear in the words, times the logarithm of the number of units.
 */
export class UnitQueue {
  private readonly entries: QueuedUnit[] = []
  private readonly alpha: number
  /** The entries that contain a word that is not packed yet. */
  private readonly holders = new Map<string, QueuedUnit[]>()
  /** Place of the next entry in the order as given. */
  private at = 0
  /** The places of the entries by marginal value; null while the order is as given. */
  private ranking: Ranking | null = null

  /** @param alpha share of the value that a unit loses when all of its words are packed already, in [0,1] */
  constructor(alpha: number) {
    this.alpha = alpha
  }

  /** Adds units behind those that are in the queue. */
  *add(units: readonly Unit[]): Steps<void> {
    for (const unit of units) {
      const words = this.alpha > 0 ? [...(yield* distinctIn(textOf(unit), rawWords))] : []
      const entry = { unit, marginal: unit.value, isPutBack: false, words, packed: 0 }
      for (const word of words) addTo(this.holders, word, entry)
      this.entries.push(entry)
    }
    if (this.alpha > 0) this.rank()
  }

  /** Removes the next unit and returns it with its marginal value; null when the queue is empty. */
  *next(): Steps<QueuedUnit | null> {
    if (this.ranking === null) return this.entries[this.at++] ?? null
    for (;;) {
      const best = this.ranking.pop()
      const entry = best && this.entries[best.place]
      if (!entry) return null
      const marginal = this.marginalOf(entry)
      if (!(marginal < best.value)) return { ...entry, marginal }
      this.ranking.push(best.place, marginal)
      yield
    }
  }

  /** Returns a unit to the queue with a fixed marginal value. */
  putBack(entry: QueuedUnit, marginal: number): void {
    if (this.ranking === null) this.rank()
    this.ranking?.push(this.entries.length, marginal)
    this.entries.push({ ...entry, marginal, isPutBack: true })
  }

  /** Notes that the words of a unit are packed. */
  addPacked({ words }: QueuedUnit): void {
    for (const word of words) {
      for (const holder of this.holders.get(word) ?? []) holder.packed++
      this.holders.delete(word)
    }
  }

  private rank(): void {
    this.ranking = new Ranking()
    for (let place = this.at; place < this.entries.length; place++)
      this.ranking.push(place, this.entries[place]?.unit.value ?? 0)
  }

  /** value × (1 − α × share of its words that are packed already) */
  private marginalOf({ unit, marginal, isPutBack, words, packed }: QueuedUnit): number {
    if (isPutBack || words.length === 0) return marginal
    return unit.value * (1 - (this.alpha * packed) / words.length)
  }
}

/** Places by value, greatest first, and equal values by place. */
class Ranking {
  private readonly values = new FlatQueue()
  private readonly places = new Map<number, FlatQueue>()

  push(place: number, value: number): void {
    const equals = this.places.get(value) ?? new FlatQueue()
    if (equals.length === 0) {
      this.values.push(value, -value)
      this.places.set(value, equals)
    }
    equals.push(place, place)
  }

  pop(): { place: number; value: number } | null {
    const value = this.values.peek()
    const equals = value === undefined ? undefined : this.places.get(value)
    const place = equals?.pop()
    if (value === undefined || place === undefined) return null
    if (equals?.length === 0) {
      this.values.pop()
      this.places.delete(value)
    }
    return { place, value }
  }
}

import { rawWords } from '../text/terms.ts'
import { textOf, type Unit } from './unit.ts'

interface Entry {
  unit: Unit
  value: number
  words: ReadonlySet<string>
  isPutBack: boolean
}

/** Units in the order of filling: as given, or by marginal value once novelty or a soft cap can change the order. */
export class UnitQueue {
  private readonly entries: Entry[]
  private readonly packedWords = new Set<string>()
  private readonly alpha: number
  private byMarginal: boolean

  /** @param alpha share of the value that a unit loses when all of its words are packed already, in [0,1] */
  constructor(units: readonly Unit[], alpha: number) {
    this.alpha = alpha
    this.byMarginal = alpha > 0
    this.entries = units.map(unit => ({
      unit,
      value: unit.value,
      words: new Set(alpha > 0 ? rawWords(textOf(unit)) : []),
      isPutBack: false,
    }))
  }

  /** Removes the next unit and returns it with its marginal value; null when the queue is empty. */
  next(): { unit: Unit; marginal: number; isPutBack: boolean } | null {
    let [best] = this.entries
    if (!best) return null
    let marginal = this.marginalOf(best)
    for (const entry of this.byMarginal ? this.entries : []) {
      const value = this.marginalOf(entry)
      if (value > marginal) {
        best = entry
        marginal = value
      }
    }
    this.entries.splice(this.entries.indexOf(best), 1)
    return { unit: best.unit, marginal, isPutBack: best.isPutBack }
  }

  /** Returns a unit to the queue with a fixed marginal value. */
  putBack(unit: Unit, value: number): void {
    this.byMarginal = true
    this.entries.push({ unit, value, words: new Set(), isPutBack: true })
  }

  addPackedWords(unit: Unit): void {
    if (this.alpha > 0) for (const word of rawWords(textOf(unit))) this.packedWords.add(word)
  }

  /** value × (1 − α × share of its words that are packed already) */
  private marginalOf({ value, words }: Entry): number {
    if (words.size === 0) return value
    let packed = 0
    for (const word of words) if (this.packedWords.has(word)) packed++
    return value * (1 - (this.alpha * packed) / words.size)
  }
}

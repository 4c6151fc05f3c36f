import { groupBy } from '../../core/collections.ts'
import { isFound } from '../metrics/found.ts'
import type { ConsideredText } from '../metrics/measure-run.ts'
import type { Coverage, GoldMarks } from './coverage.ts'

/** Candidates with what they hold together: one alone, or two neighbours, because a run of words can begin in one and end in the other. */
interface Holder {
  candidates: readonly ConsideredText[]
  marks: GoldMarks
}

/** A set of candidates under one of the rules of answer recall: which gold passages it holds, and in which candidates. */
export class CandidateSet {
  readonly #coverage: Coverage
  /** Candidates alone first, in the order in which they are preferred. */
  readonly #holders: readonly Holder[]
  readonly #shares: readonly number[]

  /** @param candidates in the order in which they are preferred as holders of a gold passage */
  constructor(candidates: readonly ConsideredText[], coverage: Coverage) {
    this.#coverage = coverage
    this.#holders = [
      ...candidates.map(candidate => ({ candidates: [candidate], marks: coverage.marksOf(candidate) })),
      ...pairsOf(candidates).map(pair => ({ candidates: pair, marks: coverage.marksOfPair(...pair) })),
    ]
    this.#shares = coverage.totals.map((total, gold) =>
      total === 0 ? 0 : countOfUnion(this.#holders, gold, total) / total,
    )
  }

  /** Whether the texts of the candidates together hold the gold passage: at least 90 % of it. */
  holds(gold: number): boolean {
    return isFound(this.#shares[gold] ?? 0)
  }

  /**
   * The candidates of a gold passage: those that add the most of it to the ones before, until they hold 90 % of it or nothing is added.
   * Empty when no candidate holds any of it.
   */
  coverOf(gold: number): ConsideredText[] {
    const total = this.#coverage.totals[gold] ?? 0
    const held = new Uint8Array(total)
    const cover = new Set<ConsideredText>()
    const marked = this.#holders
      .map(({ candidates, marks }) => ({ candidates, marks: marks[gold] ?? new Uint8Array() }))
      .filter(({ marks }) => marks.includes(1))
    for (let count = 0; !isFound(count / total); ) {
      // All that complete it are equally good.
      const worthOf = (added: number) => (isFound((count + added) / total) ? total : added)
      const [best] = marked
        .map(holder => ({ ...holder, added: addedBy(holder.marks, held) }))
        .sort((left, right) => worthOf(right.added) - worthOf(left.added))
      if (best === undefined || best.added === 0) break
      for (const candidate of best.candidates) cover.add(candidate)
      addTo(held, best.marks)
      count += best.added
    }
    return [...cover]
  }
}

/** Neighbours in one document. */
function pairsOf(candidates: readonly ConsideredText[]): (readonly [ConsideredText, ConsideredText])[] {
  return [...groupBy(candidates, ({ docId }) => docId).values()].flatMap(ofDocument => {
    const byPlace = new Map(ofDocument.map(candidate => [candidate.orderIndex, candidate]))
    return ofDocument.flatMap(first => {
      const second = first.orderIndex === null ? undefined : byPlace.get(first.orderIndex + 1)
      return second === undefined ? [] : [[first, second] as const]
    })
  })
}

function countOfUnion(holders: readonly Holder[], gold: number, total: number): number {
  const union = new Uint8Array(total)
  for (const { marks } of holders) addTo(union, marks[gold] ?? new Uint8Array())
  return addedBy(union, new Uint8Array(total))
}

function addTo(held: Uint8Array, marks: Uint8Array): void {
  for (let at = 0; at < marks.length; at++) if (marks[at] === 1) held[at] = 1
}

function addedBy(marks: Uint8Array, held: Uint8Array): number {
  let added = 0
  for (let at = 0; at < marks.length; at++) if (marks[at] === 1 && held[at] === 0) added++
  return added
}

import { getOrInsert } from '../../core/collections.ts'
import type { GoldenQuery } from '../golden-set/golden-set.ts'
import { type CommonText, GoldFinder } from './common-runs.ts'
import type { HeldGolds } from './ranking.ts'

/** A chunk holds a gold passage when half the words of one of them stand in the other. */
const HELD_SHARE = 0.5

/** The gold passages of one query, and what texts hold of them. Answers for chunks are kept, because many runs rank the same chunks. */
export class QueryEvidence {
  readonly query: GoldenQuery
  readonly #finder: GoldFinder
  readonly #held = new Map<string, HeldGolds>()

  constructor(query: GoldenQuery) {
    this.query = query
    this.#finder = new GoldFinder(query.goldPassages.map(({ text }) => text))
  }

  /** What a context has in common with the gold passages. */
  in(context: string): CommonText {
    return this.#finder.in(context)
  }

  /** The gold passages that a chunk holds: at least half of the gold passage, or a part of it that is at least half of the chunk. */
  heldBy(text: string): HeldGolds {
    return getOrInsert(this.#held, text, () => {
      const { golds, words } = this.#finder.in(text)
      return golds.flatMap(({ found, total, inside }, gold) =>
        found > 0 && (found >= total * HELD_SHARE || inside >= words * HELD_SHARE) ? [gold] : [],
      )
    })
  }
}

import type { QueryDetails, QueryResult, SetResult } from '../replay/results.ts'

/** What a replay knows of a set beside the figures of its queries. */
export type SetFacts = Pick<SetResult, 'chunks' | 'embedder'>

/** The finished queries of one replay. Sets are named by their place in the replay, because two sets can have one name. */
export interface Journal {
  facts(set: number): SetFacts | null
  addFacts(set: number, facts: SetFacts): void
  /** Null when the query is not done. */
  result(set: number, id: string): QueryResult | null
  /** Notes a finished query. When the promise resolves, the end of the process loses nothing of it. */
  add(set: number, result: QueryResult, details: QueryDetails | null): Promise<void>
  /** The details of a finished query; null when none were added. */
  details(set: number, id: string): Promise<QueryDetails | null>
  /** Ends the work with the journal. Without `isFinished` it is kept, and a later replay goes on from it. */
  close(isFinished: boolean): void
}

/** A journal that ends with its process. */
export function createMemoryJournal(): Journal {
  const facts = new Map<number, SetFacts>()
  const queries = new Map<string, { result: QueryResult; details: QueryDetails | null }>()
  return {
    facts: set => facts.get(set) ?? null,
    addFacts: (set, known) => void facts.set(set, known),
    result: (set, id) => queries.get(keyOf(set, id))?.result ?? null,
    add: async (set, result, details) => void queries.set(keyOf(set, result.id), { result, details }),
    details: async (set, id) => queries.get(keyOf(set, id))?.details ?? null,
    close: () => {},
  }
}

export function keyOf(set: number, id: string): string {
  return `${set} ${id}`
}

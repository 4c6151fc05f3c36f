import type { ContextResponse } from '../pipeline/context-request.ts'
import type { PackContext } from '../pipeline/services.ts'

export const DEMO_COLLECTION = 'isharoth'

/** A definition among many mentions, a code whose meaning changed, a table, and an old value against a new one. */
export const DEMO_QUERIES = [
  'Who is Isharoth?',
  'What did code ISH-4417 stand for in the third printing of FR 308 and what does it stand for today?',
  'How many pumps have to run when the sea stands at three and a half spans?',
  'How did the greasing interval and the grease change from the FR 315 schedule to the FR 318 one?',
] as const

/** The two ways to a context that the demo compares, over the same collection, and how their contexts are judged. */
export interface DemoWorld {
  /** The plan of stowage. */
  stowage: PackContext
  /** What a backend does without stowage: hybrid search, and the best chunks one after the other until the budget is full. */
  topK: PackContext
  /** Counts the gold passages of a query of the demo, and those that a context holds. */
  countGolds(query: string, context: string): FoundGolds
}

/** How many of the gold passages of a query stand in a context. */
interface FoundGolds {
  found: number
  of: number
}

/** The context of stowage with its trace, and beside it the context of plain top-k. */
export interface DemoResult extends ContextResponse {
  query: string
  gold_passages: FoundGolds
  top_k: ContextResponse & { gold_passages: FoundGolds }
}

/** Packs two contexts with their traces for each query. */
export async function runDemo(
  { stowage, topK, countGolds }: DemoWorld,
  budgetTokens: number,
  onResult: (result: DemoResult) => void,
): Promise<DemoResult[]> {
  const caller = { apiKey: null, tenant: null, signal: new AbortController().signal }
  const results: DemoResult[] = []
  for (const query of DEMO_QUERIES) {
    const request = { query, collection: DEMO_COLLECTION, budget_tokens: budgetTokens, trace: true }
    const judged = (answer: ContextResponse) => ({ ...answer, gold_passages: countGolds(query, answer.context) })
    const top_k = judged(await topK(request, caller))
    const result = { query, ...judged(await stowage(request, caller)), top_k }
    onResult(result)
    results.push(result)
  }
  return results
}

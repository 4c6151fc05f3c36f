import type { ContextResponse } from '../pipeline/context-request.ts'
import type { PackContext } from '../pipeline/services.ts'

export const DEMO_COLLECTION = 'isharoth'

/** What the demo asks: one query per kind of difficulty in the golden set. */
export const DEMO_QUERIES = ['Who is Isharoth?'] as const

export interface DemoResult extends ContextResponse {
  query: string
}

/** Asks each query with its trace. */
export async function runDemo(
  packContext: PackContext,
  budgetTokens: number,
  onAnswer: (result: DemoResult) => void,
): Promise<DemoResult[]> {
  const caller = { apiKey: null, tenant: null, signal: new AbortController().signal }
  const results: DemoResult[] = []
  for (const query of DEMO_QUERIES) {
    const response = await packContext(
      { query, collection: DEMO_COLLECTION, budget_tokens: budgetTokens, trace: true },
      caller,
    )
    const result = { query, ...response }
    onAnswer(result)
    results.push(result)
  }
  return results
}

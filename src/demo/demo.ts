import type { ContextResponse } from '../pipeline/context-request.ts'
import type { PackContext } from '../pipeline/services.ts'

export const DEMO_COLLECTION = 'isharoth'

/** What the demo asks: a definition among many that only mention it, a code that changed its meaning, a table, old against new. */
export const DEMO_QUERIES = [
  'Who is Isharoth?',
  'What did code ISH-4417 stand for in the third printing of FR 308 and what does it stand for today?',
  'How many pumps have to run when the sea stands at three and a half spans?',
  'How did the greasing interval and the grease change from the FR 315 schedule to the FR 318 one?',
] as const

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

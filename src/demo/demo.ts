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

export interface DemoResult extends ContextResponse {
  query: string
}

/** Packs a context with its trace for each query. */
export async function runDemo(
  packContext: PackContext,
  budgetTokens: number,
  onAnswer: (result: DemoResult) => void,
): Promise<DemoResult[]> {
  const caller = { apiKey: null, tenant: null, signal: new AbortController().signal }
  const results: DemoResult[] = []
  for (const query of DEMO_QUERIES) {
    const request = { query, collection: DEMO_COLLECTION, budget_tokens: budgetTokens, trace: true }
    const result = { query, ...(await packContext(request, caller)) }
    onAnswer(result)
    results.push(result)
  }
  return results
}

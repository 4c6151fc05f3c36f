import type { ContextResponse } from '../../src/pipeline/context-request.ts'

/** An answer of `/v1/context` without passages. */
export function contextAnswer(over: Partial<ContextResponse> = {}): ContextResponse {
  return {
    context: '',
    tokens: 0,
    budget_tokens: 0,
    chunks: [],
    mode: { asked: 'hybrid', used: 'hybrid' },
    answerable: { probability: 0, verdict: 'not_in_documents', reasons: ['nothing_found'] },
    degraded: [],
    trace_id: 't',
    ...over,
  }
}

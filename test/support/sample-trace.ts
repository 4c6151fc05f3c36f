import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { TRACE_VERSION, type Trace } from '../../src/pipeline/trace/schema.ts'

/** A small complete trace. */
export function sampleTrace(overrides: Partial<Trace> = {}): Trace {
  return {
    version: TRACE_VERSION,
    trace_id: 'trace-1',
    endpoint: 'context',
    started_at: '2026-11-21T00:00:00.000Z',
    tenant: null,
    session_id: null,
    assignment: null,
    flags: [],
    shadow_of: null,
    collections: ['docs'],
    query: 'Who is Isharoth?',
    query_source: 'request',
    intent: { label: 'definition', rule: 'who is' },
    mode: { asked: 'hybrid', used: 'hybrid' },
    plan: NAMED_PLANS.measured,
    plan_fingerprint: 'f',
    cache: 'off',
    stages: [{ name: 'retrieve', start_ms: 1, ms: 12, in: 0, out: 1, changed: true }],
    duration_ms: 14,
    degraded: [{ code: 'reranker_unavailable', detail: 'no model' }],
    counts: { retrieved: 1, packed: 1, dropped: 0 },
    budget: { tokens: 2_000, used: 1_500, tokenizer: 'gpt-4o', encoding: 'o200k_base' },
    recall_proxy: null,
    candidates: [
      {
        id: 1,
        collection: 'docs',
        doc_id: 'd',
        section_path: 'A > B',
        order_index: 0,
        origin: 'retrieved',
        lists: [],
        fused: 0.5,
        rerank: null,
        answerability: { bonus: 0, features: [] },
        final: 0.5,
        tokens: 10,
        decision: 'packed',
        position: 1,
        reason: null,
        evidence: null,
      },
    ],
    ...overrides,
  }
}

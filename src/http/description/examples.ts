import { ERRORS, type ErrorCode } from '../../core/vocabulary.ts'
import type { SchemaName } from './schemas.ts'

const QUESTION = 'How many barges does the north berth take?'

/** Examples of bodies, by schema. */
export const EXAMPLES: { readonly [Name in SchemaName]?: Readonly<Record<string, object>> } = {
  ContextRequest: {
    'a question': { query: QUESTION, collection: 'harbour', budget_tokens: 800 },
    'a part of the documents': {
      query: QUESTION,
      collection: ['harbour', 'tariffs'],
      filter: { must: [{ key: 'lang', match: { value: 'en' } }] },
      format: 'xml',
      min_relevance: 0.1,
      trace: false,
    },
  },
  ContextResponse: {
    'one passage': {
      context: '[1] Harbour guide > Berths\nThe north berth takes two barges.',
      tokens: 17,
      budget_tokens: 800,
      chunks: [
        {
          id: 42,
          collection: 'harbour',
          doc_id: 'guide.md',
          doc_title: 'Harbour guide',
          section_path: 'Berths',
          order_index: 3,
          score: 1.04,
          relevance: 0.93,
          relevance_kind: 'reranker',
          tokens: 7,
          text: 'The north berth takes two barges.',
          citation: '[1]',
        },
      ],
      mode: { asked: 'hybrid', used: 'hybrid' },
      answerable: { probability: 0.95, verdict: 'in_documents', reasons: [] },
      degraded: [],
      trace_id: '0b0f6f0e-5f5e-4d5c-9d55-0a4f7f4f2c11',
    },
  },
  ExperimentReset: { 'it was rolled back': { experiment: 'shorter', was_rolled_back: true } },
  Readiness: {
    'a model is missing': {
      ready: true,
      checks: [
        { name: 'qdrant', ok: true },
        { name: 'reranker', ok: false, detail: 'no model is loaded; set RERANK_MODEL' },
      ],
    },
  },
}

const SPECIAL: { readonly [Code in ErrorCode]?: object } = {
  bad_request: {
    message: 'Invalid request: budget: unknown key',
    details: [{ field: 'budget', message: 'unknown key', value: '800' }],
  },
  too_many_requests: {
    message: 'The limit is 20 requests per second. Try again after 1 s',
    details: { retry_after: 1 },
  },
  overloaded: {
    message: 'Too many requests are waiting. Try again after 2 s',
    details: { retry_after: 2 },
  },
}

export function errorExample(code: ErrorCode): object {
  return { error: { code, message: ERRORS[code].meaning, ...SPECIAL[code] } }
}

import { z } from 'zod'
import type { Verdict } from '../../core/vocabulary.ts'
import { LONGEST_FIELD } from '../../http/parse-context-request.ts'
import {
  type ContextRequest,
  type ContextResponse,
  contextRequestSchema,
  ONE_PLACE,
  ONE_THRESHOLD,
} from '../../pipeline/context-request.ts'
import { counted } from '../../text/printable.ts'
import { defineTool, planOf, type ToolCall } from './tool.ts'

/** Most tokens of one answer. Clients cut or refuse far shorter ones. */
const MOST_TOKENS = 100_000
/** Tokens of the lines after the context, about; and the largest share of a small budget that they get. */
const CLOSING_TOKENS = 80
const CLOSING_SHARE = 0.2

const { query, collection, project, limit, fill, min_relevance, score_threshold, filter } = contextRequestSchema.shape

const input = z
  .strictObject({
    query: query.describe('The question, in full sentences or keywords.'),
    collection: collection.describe('Name of the collection, or up to 16 names. Example: "docs".'),
    project: project.describe('Name of a project, in place of a collection.'),
    budget_tokens: z
      .int()
      .min(0)
      .max(MOST_TOKENS)
      .optional()
      .describe('Most tokens of the whole answer. Default: that of the server, often 8000. Example: 1500.'),
    limit: limit.describe('Most passages.'),
    fill: fill.describe(
      '"relevant" leaves out passages that hardly answer, so the answer may be shorter. Default: "all".',
    ),
    min_relevance: min_relevance.describe('Least relevance of a passage, in [0,1]. Default: none. Example: 0.3.'),
    score_threshold: score_threshold.describe('The former name of min_relevance.'),
    filter: filter
      .refine(hasUsualLength, `is longer than ${LONGEST_FIELD} bytes`)
      .refine(hasExactNumbers, 'an integer beyond 2^53 loses digits in JSON; use POST /v1/context')
      .describe('Filter of Qdrant. Example: {"must":[{"key":"lang","match":{"value":"en"}}]}.'),
  })
  .refine(...ONE_PLACE)
  .refine(...ONE_THRESHOLD)

/** `search_with_contextual_retrieval`. */
export const searchTool = defineTool({
  name: 'search_with_contextual_retrieval',
  title: 'Search passages',
  description:
    'Searches a collection by meaning and by keywords, and returns the best passages with their sources, packed into budget_tokens. ' +
    'Use it before you answer a question about the documents. The last line has a trace_id for explain_trace.',
  input,
  rights: ['read'],
  hints: { readOnlyHint: true, openWorldHint: false },
  defaultBudget: call => Math.min(MOST_TOKENS, planOf(call).budgetTokens),
  async run(args, call) {
    const { caller, services, signal } = call
    const answer = await services.packContext(requestOf(args, call), {
      apiKey: caller.apiKey,
      tenant: caller.tenant,
      signal,
    })
    call.onTraced({ traceId: answer.trace_id, degraded: answer.degraded.map(({ code }) => code) })
    return textsOf(answer, call.budget)
  },
})

/** The closing lines get their tokens from the budget. The model is named, so that both counts use one tokenizer. The trace says why there is no passage. */
function requestOf(args: z.infer<typeof input>, call: ToolCall): ContextRequest {
  const closing = Math.min(CLOSING_TOKENS, Math.floor(call.budget * CLOSING_SHARE))
  return {
    ...args,
    filter: call.given.filter as ContextRequest['filter'],
    budget_tokens: call.budget - closing,
    model: planOf(call).tokenizerModel,
    trace: true,
  }
}

const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  in_documents: 'the documents answer this',
  uncertain: 'uncertain whether the documents answer this',
  not_in_documents: 'the documents do not seem to answer this',
}

/** The context with what an agent can act on, with the id of its trace only, and alone. */
function textsOf(
  { context, chunks, answerable, degraded, trace_id, trace }: ContextResponse,
  budget: number,
): string[] {
  const isTooSmall = trace?.candidates.some(({ reason }) => reason === 'over_budget')
  const empty = isTooSmall
    ? `No passage fits into budget_tokens=${budget}: raise it.`
    : 'No passage is in this context.'
  const body = context.trimEnd() || empty
  const codes = [...new Set(degraded.map(({ code }) => code))]
  const facts = [
    counted(chunks.length, 'passage'),
    `${VERDICT_WORDS[answerable.verdict]} (${Math.round(answerable.probability * 100) / 100})`,
    ...(codes.length > 0 ? [`done without: ${codes.join(', ')}`] : []),
    `trace_id ${trace_id}`,
  ]
  return [`${body}\n\n---\n${facts.join(' · ')}`, `${body}\n\n---\ntrace_id ${trace_id}`, body]
}

function hasUsualLength(filter: unknown): boolean {
  return filter === undefined || Buffer.byteLength(JSON.stringify(filter)) <= LONGEST_FIELD
}

function hasExactNumbers(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  return typeof value !== 'object' || value === null || Object.values(value).every(hasExactNumbers)
}

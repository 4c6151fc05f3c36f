import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import { linesThatFit } from '../answers/fit.ts'
import { candidateLines, traceLines } from '../answers/trace-text.ts'
import { defineTool } from './tool.ts'

const input = z.strictObject({
  trace_id: z.string().min(1).max(200).describe('From the last line of a search, or `trace_id` of POST /v1/context.'),
  candidate: z
    .union([z.string().min(1).max(1_000), z.int()])
    .optional()
    .describe('Explain this one only: id of a point, or of a document. Default: all candidates.'),
  budget_tokens: z.int().min(0).max(100_000).optional().describe('Most tokens of the answer. Default: 1000.'),
})

export const explainTraceTool = defineTool({
  name: 'explain_trace',
  title: 'Explain a search',
  description:
    'Says why each candidate of an earlier search is in its context or was left out, in words. Use it when a passage that you expected is missing. ' +
    'Only the latest few hundred searches are kept.',
  input,
  rights: ['read'],
  hints: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  defaultBudget: () => 1_000,
  async run({ trace_id, candidate }, { services, caller, budget, countTokens }) {
    const trace = await services.findTrace(trace_id, { apiKey: caller.apiKey, tenant: caller.tenant })
    if (trace === null)
      throw new StowageError('not_found', 'The trace is unknown or no longer kept', { details: { trace_id } })
    const lines = candidate === undefined ? traceLines(trace) : candidateLines(trace, String(candidate))
    const rest = (left: number) => `${left} more lines: raise budget_tokens, or name a candidate.`
    return [linesThatFit(lines, rest, { budget, countTokens })]
  },
})

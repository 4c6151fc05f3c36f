import { z } from 'zod'
import { badRequest } from '../../core/errors.ts'
import { collectionName } from '../../pipeline/context-request.ts'
import { counted } from '../../text/printable.ts'
import { ownerOf } from '../caller.ts'
import type { ReindexEstimate, ReindexRequest } from '../jobs/reindexing.ts'
import { defineTool, type ToolCall, writerKind } from './tool.ts'

const input = z.strictObject({
  collection: collectionName.describe('Name of the collection, or an alias of it. Example: "docs".'),
  writer: writerKind,
  budget_usd: z
    .number()
    .min(0)
    .optional()
    .describe('Most US dollars over all runs for this collection. Needed for a language model. Example: 0.5.'),
  dry_run: z.boolean().optional().describe('true: say what a run would take, and write nothing. Default: false.'),
})

export const reindexTool = defineTool({
  name: 'reindex_with_context',
  title: 'Write contexts for a collection',
  description:
    'Writes the missing contexts of a live collection and encodes its points with them, in the background: the answer is the id of a job for ' +
    'get_reindexing_progress. Texts and ids stay as they are; points that are up to date are passed over, so a second run goes on where the first ended. ' +
    'Call it with dry_run first.',
  input,
  rights: ['operate'],
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  defaultBudget: () => 500,
  async run(args, call) {
    const request = requestOf(args, call)
    const { jobs } = call.services
    if (args.dry_run === true) return [estimateText(await jobs.estimate(request, call.signal))]
    const job = await jobs.start(request, ownerOf(call.caller), call.signal)
    return [`Job ${job.id} started: contexts for ${request.collection} by ${request.writer}.`, job.id]
  },
})

/** @throws StowageError `bad_request` for a writer that costs money without a budget, and for one above the limit of the server */
function requestOf(args: z.infer<typeof input>, { caller, services }: ToolCall): ReindexRequest {
  const { collection, writer = 'rules', budget_usd: budgetUsd } = args
  const wrong = (message: string, value: string | null) =>
    badRequest(`budget_usd: ${message}`, { details: [{ field: 'budget_usd', message, value }] })
  if (writer !== 'rules' && budgetUsd === undefined) throw wrong(`is needed for the writer ${writer}`, null)
  if (budgetUsd !== undefined && budgetUsd > services.mostDollars)
    throw wrong(`the most is ${services.mostDollars}, by MCP_BUDGET_USD of the server`, String(budgetUsd))
  return { collection, writer, budgetUsd: budgetUsd ?? null, apiKey: caller.apiKey }
}

function estimateText({ points, withoutText, left, documents, usage, dollars, seconds }: ReindexEstimate): string {
  const cost = dollars === null ? 'unknown (the model has no price)' : `${dollars.toFixed(4)} US dollars`
  const { input: fresh, cached, cacheWritten, output } = usage
  return [
    `A run would write ${counted(left, 'context')}: ${counted(points, 'point')}, ${withoutText} of them without text, ${counted(documents, 'document')} with something to do.`,
    `Tokens: ${fresh + cacheWritten} read, ${cached} from prompt caches, ${output} written. Cost: ${cost}. Time: about ${seconds} s.`,
    'Nothing was written.',
  ].join('\n')
}

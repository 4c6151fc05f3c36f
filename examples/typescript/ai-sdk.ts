import { tool } from 'ai'
import type { Client, ContextRequest } from 'stowage/client'
import { z } from 'zod'

/**
 * A tool of the AI SDK: stowage searches, reranks, and packs a context within the budget.
 *
 *   const tools = { searchDocuments: searchTool(createClient({ url: 'http://stowage:6433' }), { collection: 'docs', budget_tokens: 2_000 }) }
 *   await generateText({ model, tools, stopWhen: isStepCount(3), prompt: question })
 */
export function searchTool(client: Client, options: Omit<ContextRequest, 'query'>) {
  return tool({
    description: 'Finds passages in the documents that answer a question. Cite them by their citation.',
    inputSchema: z.object({ question: z.string().min(1).max(8_192).describe('The whole question, in one sentence') }),
    execute: async ({ question }, { abortSignal }) => {
      const { context, answerable } = await client.context({ ...options, query: question }, { signal: abortSignal })
      return { context, answerable: answerable.verdict }
    },
  })
}

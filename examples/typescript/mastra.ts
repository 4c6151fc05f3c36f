import { createTool } from '@mastra/core/tools'
import { QdrantVector } from '@mastra/qdrant'
import { addQuestionHeaders, type Client, type ContextRequest } from 'stowage/client'
import { z } from 'zod'

/**
 * The vector store of Mastra, with `url` pointing at stowage. Inside of `withQuestion` stowage gets to know the question, so it can rerank.
 *
 *   const vectors = new AskingQdrantVector({ id: 'docs', url: 'http://stowage:6433' })
 *   const found = await withQuestion(question, () => vectors.query({ indexName: 'docs', queryVector, topK: 8 }))
 */
export class AskingQdrantVector extends QdrantVector {
  constructor(options: ConstructorParameters<typeof QdrantVector>[0]) {
    super(options)
    addQuestionHeaders(this.client)
  }
}

/**
 * A tool for agents: stowage searches, reranks, and packs a context within the budget.
 *
 *   const agent = new Agent({ …, tools: { searchDocuments: searchTool(client, { collection: 'docs', budget_tokens: 2_000 }) } })
 */
export function searchTool(client: Client, options: Omit<ContextRequest, 'query'>) {
  return createTool({
    id: 'search-documents',
    description: 'Finds passages in the documents that answer a question. Cite them by their citation.',
    inputSchema: z.object({ question: z.string().min(1).max(8_192).describe('The whole question, in one sentence') }),
    outputSchema: z.object({
      context: z.string(),
      answerable: z.enum(['in_documents', 'uncertain', 'not_in_documents']),
    }),
    execute: async ({ question }, { abortSignal }) => {
      const { context, answerable } = await client.context({ ...options, query: question }, { signal: abortSignal })
      return { context, answerable: answerable.verdict }
    },
  })
}

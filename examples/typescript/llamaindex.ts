import type { QueryBundle } from '@llamaindex/core/query-engine'
import { BaseRetriever } from '@llamaindex/core/retriever'
import { type NodeWithScore, TextNode } from '@llamaindex/core/schema'
import { extractText } from '@llamaindex/core/utils'
import { type Client, type ContextRequest, withQuestion } from 'stowage/client'

/**
 * A retriever that you have, over a `QdrantVectorStore` whose `url` points at stowage. stowage gets to know the question, so it can rerank.
 *
 *   const store = new QdrantVectorStore({ url: 'http://stowage:6433', collectionName: 'docs' })
 *   addQuestionHeaders(store.client())
 *   const retriever = new QuestionRetriever(index.asRetriever())
 */
export class QuestionRetriever extends BaseRetriever {
  readonly inner: BaseRetriever

  constructor(inner: BaseRetriever) {
    super()
    this.inner = inner
  }

  override _retrieve(asked: QueryBundle): Promise<NodeWithScore[]> {
    return withQuestion(extractText(asked.query), () => this.inner._retrieve(asked))
  }
}

/**
 * stowage searches, reranks and packs. The nodes are the passages of one context within the budget, in its order; their score is the
 * estimated probability that they answer.
 *
 *   const retriever = new ContextRetriever(createClient({ url: 'http://stowage:6433' }), { collection: 'docs' })
 */
export class ContextRetriever extends BaseRetriever {
  readonly client: Client
  readonly options: Omit<ContextRequest, 'query'>

  constructor(client: Client, options: Omit<ContextRequest, 'query'>) {
    super()
    this.client = client
    this.options = options
  }

  override async _retrieve({ query }: QueryBundle): Promise<NodeWithScore[]> {
    const { chunks } = await this.client.context({ ...this.options, query: extractText(query) })
    return chunks.map(({ id, text, relevance, ...metadata }) => ({
      node: new TextNode({ id_: String(id), text, metadata }),
      score: relevance,
    }))
  }
}

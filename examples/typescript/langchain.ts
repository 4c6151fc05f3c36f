import { Document } from '@langchain/core/documents'
import { BaseRetriever } from '@langchain/core/retrievers'
import type { QdrantVectorStore } from '@langchain/qdrant'
import { addQuestionHeaders, type Client, type ContextRequest, withQuestion } from 'stowage/client'

/**
 * Your vector store as it is, with `url` pointing at stowage. stowage gets to know the question, so it can rerank.
 *
 *   const store = new QdrantVectorStore(embeddings, { url: 'http://stowage:6433', collectionName: 'docs' })
 *   const retriever = new QuestionRetriever(store, 8)
 */
export class QuestionRetriever extends BaseRetriever {
  lc_namespace = ['stowage', 'examples']
  readonly store: QdrantVectorStore
  readonly k: number

  constructor(store: QdrantVectorStore, k: number) {
    super()
    this.store = store
    this.k = k
    addQuestionHeaders(store.client)
  }

  override _getRelevantDocuments(question: string): Promise<Document[]> {
    return withQuestion(question, () => this.store.similaritySearch(question, this.k))
  }
}

/**
 * stowage searches, reranks and packs. The documents are the passages of one context within the budget, in its order.
 *
 *   const retriever = new ContextRetriever(createClient({ url: 'http://stowage:6433' }), { collection: 'docs' })
 */
export class ContextRetriever extends BaseRetriever {
  lc_namespace = ['stowage', 'examples']
  readonly client: Client
  readonly options: Omit<ContextRequest, 'query'>

  constructor(client: Client, options: Omit<ContextRequest, 'query'>) {
    super()
    this.client = client
    this.options = options
  }

  override async _getRelevantDocuments(question: string): Promise<Document[]> {
    const { chunks } = await this.client.context({ ...this.options, query: question })
    return chunks.map(({ id, text, ...metadata }) => new Document({ id: String(id), pageContent: text, metadata }))
  }
}

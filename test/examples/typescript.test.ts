import { QdrantVectorStore as LangChainStore } from '@langchain/qdrant'
import { BaseEmbedding } from '@llamaindex/core/embeddings'
import { BaseRetriever } from '@llamaindex/core/retriever'
import { MetadataMode, TextNode } from '@llamaindex/core/schema'
import { VectorStoreQueryMode } from '@llamaindex/core/vector-store'
import { QdrantVectorStore as LlamaIndexStore } from '@llamaindex/qdrant'
import { generateText, isStepCount } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { addQuestionHeaders, createClient, withQuestion } from 'stowage/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { searchTool as aiSdkTool } from '../../examples/typescript/ai-sdk.ts'
import * as langchain from '../../examples/typescript/langchain.ts'
import * as llamaindex from '../../examples/typescript/llamaindex.ts'
import { AskingQdrantVector, searchTool as mastraTool } from '../../examples/typescript/mastra.ts'
import { connect, search } from '../../examples/typescript/qdrant-client.ts'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { LetterEmbeddings } from '../support/letter-embeddings.ts'
import { chunk, fill } from '../support/points.ts'
import { sendOk } from '../support/send.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const embeddings = new LetterEmbeddings()

const QUESTION = 'How many barges does the north berth take?'
const ANSWER = 'The north berth takes two barges; its crane lifts four tons.'
const BERTHS = [ANSWER, 'The south berth is closed from dusk.', 'Ring the bell twice to open the sluice.']
const OPTIONS = { collection: 'berths', budget_tokens: 300 }

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage()
  const points = BERTHS.map((text, index) => chunk(index, text))
  await fill(stowage.url, 'berths', points)
  await sendOk(stowage.url, 'PUT', '/collections/docs', { vectors: { size: 4, distance: 'Cosine' } })
  const plain = points.map(point => ({ ...point, vector: [1, 0, 0, 0] }))
  await sendOk(stowage.url, 'PUT', '/collections/docs/points?wait=true', { points: plain })
})
afterAll(() => stowage.close())

/** Questions and sessions in the traces of the improved searches since the last look. Null: the search had none. */
async function tracesSeen(): Promise<Pick<Trace, 'query' | 'session_id'>[]> {
  const ids = stowage.answered.splice(0).flatMap(({ traceId }) => traceId ?? [])
  const traces = await Promise.all(ids.map(id => stowage.send('GET', `/v1/traces/${id}`)))
  stowage.answered.length = 0
  return traces.map(({ json }) => json as Trace)
}

describe('LangChain', () => {
  it('a vector store that stays as it is tells the question', async () => {
    const store = new LangChainStore(embeddings, { url: stowage.url, collectionName: 'chain' })
    await store.addDocuments(BERTHS.map(pageContent => ({ pageContent, metadata: {} })))
    await tracesSeen()
    await store.similaritySearch(QUESTION, 2)
    expect(await tracesSeen()).toMatchObject([{ query: null }])
    const documents = await new langchain.QuestionRetriever(store, 2).invoke(QUESTION)
    expect(documents.map(({ pageContent }) => pageContent)).toContain(ANSWER)
    expect(await tracesSeen()).toMatchObject([{ query: QUESTION }])
  })

  it('a retriever gets the passages of a packed context', async () => {
    const retriever = new langchain.ContextRetriever(createClient({ url: stowage.url }), OPTIONS)
    const [first] = await retriever.invoke(QUESTION)
    expect(first).toMatchObject({
      id: '0',
      pageContent: ANSWER,
      metadata: { doc_id: 'doc-0', section_path: 'Section' },
    })
    expect(first?.metadata).toMatchObject({ citation: expect.any(String), relevance: expect.any(Number) })
  })
})

describe('LlamaIndex.TS', () => {
  class LetterEmbedding extends BaseEmbedding {
    constructor() {
      super()
      this.embedBatchSize = 4
    }
    override getTextEmbedding = (text: string) => embeddings.embedQuery(text)
  }
  /** What an index does: it embeds the question and asks the store. */
  class IndexRetriever extends BaseRetriever {
    readonly store: LlamaIndexStore
    constructor(store: LlamaIndexStore) {
      super()
      this.store = store
    }
    override async _retrieve({ query }: { query: unknown }) {
      const queryEmbedding = await embeddings.embedQuery(String(query))
      const found = await this.store.query({ queryEmbedding, similarityTopK: 2, mode: VectorStoreQueryMode.DEFAULT })
      return (found.nodes ?? []).map((node, index) => ({ node, score: found.similarities[index] ?? 0 }))
    }
  }

  it('a retriever over its vector store tells the question', async () => {
    const store = new LlamaIndexStore({ url: stowage.url, collectionName: 'index', embedModel: new LetterEmbedding() })
    const nodes = BERTHS.map(
      (text, index) => new TextNode({ id_: `0000000${index}-0000-4000-8000-000000000000`, text }),
    )
    for (const node of nodes) node.embedding = await embeddings.embedQuery(node.text)
    await store.add(nodes)
    addQuestionHeaders(store.client())
    await tracesSeen()
    const found = await new llamaindex.QuestionRetriever(new IndexRetriever(store)).retrieve(QUESTION)
    expect(found.map(({ node }) => node.getContent(MetadataMode.NONE))).toContain(ANSWER)
    expect(await tracesSeen()).toMatchObject([{ query: QUESTION }])
  })

  it('a retriever gets the passages of a packed context', async () => {
    const retriever = new llamaindex.ContextRetriever(createClient({ url: stowage.url }), OPTIONS)
    const [first] = await retriever.retrieve({ query: QUESTION })
    expect(first?.node.getContent(MetadataMode.NONE)).toBe(ANSWER)
    expect(first?.node.metadata).toMatchObject({ doc_id: 'doc-0', citation: expect.any(String) })
    expect(first?.score).toBeGreaterThan(0)
  })
})

describe('Mastra', () => {
  it('a vector store that stays as it is tells the question', async () => {
    const vectors = new AskingQdrantVector({ id: 'mastra', url: stowage.url })
    await vectors.createIndex({ indexName: 'mastra', dimension: 8 })
    await vectors.upsert({
      indexName: 'mastra',
      vectors: await embeddings.embedDocuments(BERTHS),
      metadata: BERTHS.map(text => ({ text })),
    })
    await tracesSeen()
    const queryVector = await embeddings.embedQuery(QUESTION)
    const found = await withQuestion(QUESTION, () => vectors.query({ indexName: 'mastra', queryVector, topK: 2 }))
    expect(found.map(({ metadata }) => metadata?.text)).toContain(ANSWER)
    expect(await tracesSeen()).toMatchObject([{ query: QUESTION }])
  })

  it('a tool answers with a context, and says whether the documents answer', async () => {
    const { execute } = mastraTool(createClient({ url: stowage.url }), OPTIONS)
    expect(await execute?.({ question: QUESTION }, {} as never)).toEqual({
      context: expect.stringContaining(ANSWER),
      answerable: expect.stringMatching(/in_documents|uncertain/u),
    })
  })
})

describe('the AI SDK', () => {
  it('a model calls the tool and reads the context', async () => {
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    }
    const call = { toolCallId: 'c', toolName: 'searchDocuments', input: JSON.stringify({ question: QUESTION }) }
    const model = new MockLanguageModelV4({
      doGenerate: async ({ prompt }) => {
        const last = prompt.at(-1)
        const text = last?.role === 'tool' ? JSON.stringify(last.content) : null
        const content = text === null ? { type: 'tool-call' as const, ...call } : { type: 'text' as const, text }
        const unified = text === null ? ('tool-calls' as const) : ('stop' as const)
        return { content: [content], finishReason: { unified, raw: unified }, usage, warnings: [] }
      },
    })
    const tools = { searchDocuments: aiSdkTool(createClient({ url: stowage.url }), OPTIONS) }
    const { text } = await generateText({ model, tools, stopWhen: isStepCount(3), prompt: QUESTION })
    expect(text).toContain(ANSWER)
  })

  it('the tool ends with the signal of the call', async () => {
    const { execute } = aiSdkTool(createClient({ url: stowage.url }), OPTIONS)
    const abortSignal = AbortSignal.abort(new Error('the user left'))
    const call = execute?.({ question: QUESTION }, { toolCallId: 'c', messages: [], abortSignal } as never)
    await expect(call).rejects.toThrow('the user left')
  })
})

describe('the official client', () => {
  it('tells the question and the session', async () => {
    await tracesSeen()
    const { points } = await search(connect(stowage.url), QUESTION, [1, 0, 0, 0], 'session-1')
    expect(points.length).toBeGreaterThan(0)
    expect(await tracesSeen()).toMatchObject([{ query: QUESTION, session_id: 'session-1' }])
  })
})

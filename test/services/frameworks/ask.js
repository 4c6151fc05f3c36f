/**
 * A small backend for each framework of JavaScript. `node ask.js JOB ANSWERS` reads a job (`Job` of backends.ts), ingests its documents, asks its
 * questions, and writes the texts of the hits, one array for each question. Everything else is as the pages of the framework have it.
 */
import { readFile, writeFile } from 'node:fs/promises'

const [jobFile, answersFile] = process.argv.slice(2)
const job = JSON.parse(await readFile(jobFile, 'utf8'))
const { framework, embeddings: embeddingsUrl, qdrant: url, collection, documents, questions, limit } = job
const MODEL = 'text-embedding-3-small'
const apiKey = 'sk-nobody'

/** A backend without a framework: the SDK of a provider, and the client of Qdrant. */
async function withSdk(embed) {
  const { QdrantClient } = await import('@qdrant/js-client-rest')
  const client = new QdrantClient({ url, checkCompatibility: false })
  return {
    async ingest(texts, first) {
      const vectors = await embed(texts, 'document')
      const size = vectors[0].length
      if (first === 0) await client.createCollection(collection, { vectors: { size, distance: 'Cosine' } })
      const points = texts.map((text, at) => ({ id: first + at, vector: vectors[at], payload: { text } }))
      await client.upsert(collection, { points, wait: true })
    },
    async search(question) {
      const [vector] = await embed([question], 'query')
      const { points } = await client.query(collection, { query: vector, limit, with_payload: true })
      return points.map(({ payload }) => payload.text)
    },
  }
}

const BACKENDS = {
  async openai() {
    const { default: OpenAI } = await import('openai')
    const client = new OpenAI({ apiKey, baseURL: `${embeddingsUrl}/v1` })
    return withSdk(async input => {
      const { data } = await client.embeddings.create({ model: MODEL, input })
      return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding)
    })
  },

  async 'ai-sdk'() {
    const { embedMany } = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    const model = createOpenAI({ apiKey, baseURL: `${embeddingsUrl}/v1` }).embeddingModel(MODEL)
    return withSdk(async values => (await embedMany({ model, values })).embeddings)
  },

  async ollama() {
    const { Ollama } = await import('ollama')
    const client = new Ollama({ host: embeddingsUrl })
    return withSdk(async input => (await client.embed({ model: 'nomic-embed-text', input })).embeddings)
  },

  async cohere() {
    const { CohereClientV2 } = await import('cohere-ai')
    const client = new CohereClientV2({ token: apiKey, environment: embeddingsUrl })
    return withSdk(async (texts, side) => {
      const asked = { texts, model: 'embed-v4.0', inputType: `search_${side}`, embeddingTypes: ['float'] }
      return (await client.embed(asked)).embeddings.float
    })
  },

  async voyage() {
    const { VoyageAIClient } = await import('voyageai')
    const client = new VoyageAIClient({ apiKey, environment: `${embeddingsUrl}/v1` })
    return withSdk(async (input, inputType) => {
      const { data } = await client.embed({ model: 'voyage-3.5', input, inputType })
      return data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding)
    })
  },

  async langchain() {
    const { OpenAIEmbeddings } = await import('@langchain/openai')
    const { QdrantVectorStore } = await import('@langchain/qdrant')
    const embeddings = new OpenAIEmbeddings({ apiKey, model: MODEL, configuration: { baseURL: `${embeddingsUrl}/v1` } })
    const store = new QdrantVectorStore(embeddings, { url, collectionName: collection })
    return {
      ingest: texts => store.addDocuments(texts.map(pageContent => ({ pageContent, metadata: {} }))),
      search: async question => (await store.similaritySearch(question, limit)).map(({ pageContent }) => pageContent),
    }
  },

  async llamaindex() {
    const { OpenAIEmbedding } = await import('@llamaindex/openai')
    const { QdrantVectorStore } = await import('@llamaindex/qdrant')
    const { MetadataMode, TextNode } = await import('@llamaindex/core/schema')
    const embedModel = new OpenAIEmbedding({ apiKey, model: MODEL, baseURL: `${embeddingsUrl}/v1` })
    const store = new QdrantVectorStore({ url, collectionName: collection, embedModel })
    return {
      async ingest(texts) {
        const vectors = await embedModel.getTextEmbeddings(texts)
        await store.add(texts.map((text, at) => new TextNode({ text, embedding: vectors[at] })))
      },
      async search(question) {
        const queryEmbedding = await embedModel.getTextEmbedding(question)
        const { nodes } = await store.query({ queryEmbedding, similarityTopK: limit, mode: 'default' })
        return nodes.map(node => node.getContent(MetadataMode.NONE))
      },
    }
  },

  async mastra() {
    const { embedMany } = await import('ai')
    const { createOpenAI } = await import('@ai-sdk/openai')
    const { QdrantVector } = await import('@mastra/qdrant')
    const model = createOpenAI({ apiKey, baseURL: `${embeddingsUrl}/v1` }).embeddingModel(MODEL)
    const embed = async values => (await embedMany({ model, values })).embeddings
    const store = new QdrantVector({ id: collection, url })
    return {
      async ingest(texts, first) {
        const vectors = await embed(texts)
        if (first === 0) await store.createIndex({ indexName: collection, dimension: vectors[0].length })
        await store.upsert({ indexName: collection, vectors, metadata: texts.map(text => ({ text })) })
      },
      async search(question) {
        const [queryVector] = await embed([question])
        const found = await store.query({ indexName: collection, queryVector, topK: limit })
        return found.map(({ metadata }) => metadata.text)
      },
    }
  },
}

const backend = await BACKENDS[framework]()
for (let first = 0; first < documents.length; first += 96)
  await backend.ingest(documents.slice(first, first + 96), first)
const answers = []
for (const question of questions) answers.push(await backend.search(question))
await writeFile(answersFile, JSON.stringify(answers))

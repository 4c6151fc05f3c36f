import type { EmbeddingsInterface } from '@langchain/core/embeddings'
import { QdrantVectorStore } from '@langchain/qdrant'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import { addDoctorCommand } from '../../src/commands/doctor.ts'
import type { Setup } from '../../src/doctor/facts.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import type { PayloadMappings } from '../../src/qdrant/payload/mappings.ts'
import { runCommand } from '../support/run-command.ts'
import { send } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'

const OPENAI_SIZE = 1536
const TEXTS = ['The quay is greased weekly.', 'The crane lifts forty tonnes.', 'The pilot boards at the buoy.']

/** A vector of OpenAI's size, different for each text. */
const vectorOf = (text: string) => Array.from({ length: OPENAI_SIZE }, (_, i) => Math.sin(i * text.length + 1))
const embeddings: EmbeddingsInterface = {
  embedQuery: async text => vectorOf(text),
  embedDocuments: async texts => texts.map(vectorOf),
}

/** The payload that LlamaIndex writes for a node (`node_to_metadata_dict` of its Python library). */
function llamaIndexPayload(text: string, index: number): object {
  const document = `doc-${index}`
  const relationships = { '1': { node_id: document, node_type: '4', metadata: {}, class_name: 'RelatedNodeInfo' } }
  const node = { id_: `node-${index}`, embedding: null, metadata: { file_name: 'quay.md' }, relationships, text }
  return {
    file_name: 'quay.md',
    _node_content: JSON.stringify({ ...node, start_char_idx: 0, end_char_idx: text.length, class_name: 'TextNode' }),
    _node_type: 'TextNode',
    document_id: document,
    doc_id: document,
    ref_doc_id: document,
  }
}

describe('doctor on a collection that others have written', () => {
  let engine: EmbeddedServer
  const put = (path: string, body: object) => send(engine.url, 'PUT', path, body)

  async function fill(collection: string, payloadOf: (text: string, index: number) => object, texts = TEXTS) {
    await put(`/collections/${collection}`, { vectors: { size: OPENAI_SIZE, distance: 'Cosine' } })
    const points = texts.map((text, id) => ({ id, vector: vectorOf(text), payload: payloadOf(text, id) }))
    const { status } = await put(`/collections/${collection}/points?wait=true`, { points })
    expect(status).toBe(200)
  }

  beforeAll(async () => {
    engine = await startEmbeddedServer()
    const documents = TEXTS.map(pageContent => ({ pageContent, metadata: { source: 'quay.md' } }))
    await new QdrantVectorStore(embeddings, { url: engine.url, collectionName: 'langchain-js' }).addDocuments(documents)
    await fill('langchain-python', text => ({ page_content: text, metadata: { source: 'quay.md', start_index: 0 } }))
    await fill('llamaindex', llamaIndexPayload)
    await fill('own', (text, index) => ({ body: { html: text }, lang: 'en', n: index }))
  })
  afterAll(() => engine.close())

  async function examine(collection: string, dimensions: number | null, mappings: PayloadMappings = {}) {
    const embedder = dimensions === null ? null : { version: 'model', dimensions }
    const setup: Setup = {
      ...{
        url: engine.url,
        embedded: false,
        embedder,
        mappings,
        tenants: null,
        unknownVariables: [],
        unwritable: [],
        flagFaults: [],
      },
      unavailable: { embedder: null, reranker: null },
      modelWarnings: [],
    }
    const open = async () => ({
      setup,
      probe: createQdrantAdmin({ url: engine.url, apiKey: null }),
      close: async () => {},
    })
    const { out } = await runCommand(
      (program, streams) => addDoctorCommand(program, { open, out: streams.out }),
      ...['doctor', '--collection', collection, '--json'],
    )
    const { findings, next } = JSON.parse(out)
    const text: { status: string; detail: string } = findings.find(({ check }: { check: string }) => check === 'text')
    return { findings, next, text }
  }

  it.each([
    ['langchain-js', 'content'],
    ['langchain-python', 'page_content'],
    ['llamaindex', '_node_content'],
  ])('%s: the text is in %s, and only the use is left once the embedder fits', async (collection, field) => {
    const { text, next } = await examine(collection, OPENAI_SIZE)
    expect(text).toMatchObject({ status: 'ok', detail: `found in the field ${field}` })
    expect(next).toMatchObject({ step: 5, fix: expect.stringContaining(`"collection": "${collection}"`) })
  })

  it.each([
    ['langchain-js', 'ok', 'the words of their id or path, such as "quay"'],
    ['llamaindex', 'ok', 'their title, such as "quay.md"'],
    ['own', 'warn', expect.stringMatching(/^no title, and ids that say nothing/u)],
  ])('%s: says what documents are called', async (collection, status, detail) => {
    const { findings } = await examine(collection, OPENAI_SIZE)
    expect(findings).toContainEqual(expect.objectContaining({ check: 'document names', status, detail }))
  })

  it.each(['langchain-js', 'llamaindex'])(
    '%s: another embedder is named with both sizes and the variable',
    async name => {
      const { findings, next } = await examine(name, 384)
      expect(findings).toContainEqual(
        expect.objectContaining({
          check: 'dense vectors',
          status: 'fail',
          detail: expect.stringMatching(/1536.*384/u),
        }),
      )
      expect(next).toMatchObject({ step: 2, fix: expect.stringMatching(/EMBEDDING_MODEL.*text-embedding-3-small/u) })
    },
  )

  it('no embedder at all is a failure where there is no keyword list', async () => {
    const { next } = await examine('langchain-python', null)
    expect(next).toMatchObject({ step: 2, fix: expect.stringContaining('EMBEDDER=openai') })
  })

  it('a text under another name is found by the mapping that doctor proposes', async () => {
    const { text, next } = await examine('own', OPENAI_SIZE)
    expect(text.status).toBe('fail')
    const [, proposed = ''] = /MAPPINGS='(.*)'/u.exec(next.fix) ?? []
    expect(next.step).toBe(3)
    expect(JSON.parse(proposed)).toEqual({ own: { text: 'body.html' } })
    const mapped = await examine('own', OPENAI_SIZE, JSON.parse(proposed))
    expect(mapped.text).toMatchObject({ status: 'ok', detail: 'found in the field body.html' })
    expect(mapped.next.step).toBe(5)
  })

  it('a collection that does not exist is step 1', async () => {
    expect((await examine('nowhere', OPENAI_SIZE)).next).toMatchObject({ step: 1 })
  })

  describe('MAPPINGS', () => {
    const MAPPINGS = JSON.stringify({ twice: { text: 'body.html', doc_id: 'page' } })
    const twice = ['A', 'B', 'A', 'C'].map(name => `${name}: ${TEXTS.join(' ')} Only ${name.repeat(9)} says so.`)

    beforeAll(() => fill('twice', (text, index) => ({ body: { html: text }, page: `page-${index}` }), twice))

    it('lets /v1/context find the text and the document', async () => {
      const stowage = await openStowage({ QDRANT_URL: engine.url, MAPPINGS })
      const request = { query: 'Who says so?', collection: 'twice', vector: vectorOf('q'), budget_tokens: 500 }
      const { json } = await stowage.ask(request)
      await stowage.close()
      expect(json.context).toContain('The quay is greased weekly.')
      expect(json.chunks[0]?.doc_id).toMatch(/^page-\d$/u)
    })

    it('lets an improved search see that two points hold the same text', async () => {
      const search = { query: vectorOf('q'), limit: 3, with_payload: true }
      const idsWith = async (environment: Record<string, string>) => {
        const stowage = await openStowage({ QDRANT_URL: engine.url, ...environment })
        const { json } = await stowage.send('POST', '/collections/twice/points/query', search)
        await stowage.close()
        const { points } = (json as { result: { points: { id: number }[] } }).result
        return points.map(({ id }) => id)
      }
      const both = (ids: number[]) => ids.includes(0) && ids.includes(2)
      expect(both(await idsWith({}))).toBe(true)
      expect(both(await idsWith({ MAPPINGS }))).toBe(false)
    })
  })
})

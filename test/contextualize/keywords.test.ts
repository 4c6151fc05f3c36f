import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLiveCollection } from '../../src/adapters/contextualize/live-collection.ts'
import { encodedText } from '../../src/contexts/encoded-text.ts'
import { recogniseEncoding } from '../../src/contextualize/encoding/recognise.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { namesInPath } from '../../src/text/names/document-name.ts'
import { encodeBm25Document } from '../../src/text/qdrant-bm25.ts'
import { encodeKeywords } from '../../src/text/terms/keyword-vectors.ts'
import { createCollection, hashEmbedder } from './support/live-world.ts'

const TEXTS = [
  'Der geheime Schlüssel wird auf dem Server abgelegt und ist für die Anmeldung nötig, wenn man ihn nicht selbst hat.',
  'Die Häuser an der Küste sind alt, und nur in wenigen von ihnen wird im Winter noch geheizt, weil es zu teuer ist.',
  'Wenn die Schleuse offen ist, darf kein Boot in den Kanal, und der Wärter muss auf das Zeichen von der Brücke warten.',
]
let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(() => engine.close())

it.each([
  ['stowage', encodeKeywords],
  ['qdrant', encodeBm25Document],
] as const)('keywords of a language other than English are told apart: %s', async (keywords, encode) => {
  const embedder = hashEmbedder()
  const points = await Promise.all(
    TEXTS.map(async (text, at) => {
      const [dense = new Float32Array()] = await embedder.embedPassages([
        encodedText({ docTitle: '', sectionPath: '', text }),
      ])
      const payload = { doc_id: 'd', order_index: at, text }
      return { id: at + 1, payload, vector: { dense: Array.from(dense), sparse: encode(text) } }
    }),
  )
  await createCollection(engine.url, keywords, points)
  const collection = openLiveCollection({ http: createQdrantHttp(engine.url), apiKey: null, collection: keywords })
  const { encoding, warnings } = await recogniseEncoding(collection, embedder, { find: () => null })
  expect([encoding, warnings]).toEqual([{ dense: 'dense', sparse: 'sparse', plain: 'titled', keywords }, []])
})

describe('what the path of a document says beside its title', () => {
  const DOC_ID = 'v2/setup.md'
  const encodedTexts = {
    'as it is now': TEXTS.map(text =>
      encodedText({ docTitle: 'Setup', ...namesInPath('Setup', DOC_ID), sectionPath: '', text }),
    ),
    'as earlier versions did': TEXTS.map(text => encodedText({ docTitle: 'Setup', sectionPath: '', text })),
  }
  const mixed = TEXTS.map(
    (_, at) => (at === 0 ? encodedTexts['as it is now'] : encodedTexts['as earlier versions did'])[at] ?? '',
  )

  it.each(Object.entries({ ...encodedTexts, 'in both ways': mixed }))('is encoded %s', async (way, texts) => {
    const embedder = hashEmbedder()
    const vectors = await embedder.embedPassages(texts)
    const points = texts.map((encoded, at) => ({
      id: at + 1,
      payload: { doc_id: DOC_ID, doc_title: 'Setup', order_index: at, text: TEXTS[at] },
      vector: { dense: Array.from(vectors[at] ?? []), sparse: encodeKeywords(encoded) },
    }))
    await createCollection(engine.url, way, points)
    const collection = openLiveCollection({ http: createQdrantHttp(engine.url), apiKey: null, collection: way })
    const { encoding } = await recogniseEncoding(collection, embedder, { find: () => null })
    expect(encoding).toEqual({ dense: 'dense', sparse: 'sparse', plain: 'titled', keywords: 'stowage' })
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLiveCollection } from '../../src/adapters/contextualize/live-collection.ts'
import { encodedText } from '../../src/contexts/encoded-text.ts'
import { recogniseEncoding } from '../../src/contextualize/encoding/recognise.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
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
        encodedText({ title: '', sectionPath: '', text }),
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

import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { rest } from './rest.ts'

/** A server with a collection `c` (dense and sparse vectors, points 1 to 3) and an empty collection `plain` (one unnamed vector). */
export async function startFilledServer(): Promise<EmbeddedServer> {
  const server = await startEmbeddedServer()
  await rest(server.url, 'PUT', '/collections/c', {
    vectors: { dense: { size: 4, distance: 'Cosine' } },
    sparse_vectors: { words: { modifier: 'idf' } },
  })
  await rest(server.url, 'PUT', '/collections/plain', { vectors: { size: 2, distance: 'Euclid' } })
  await rest(server.url, 'PUT', '/collections/c/points', {
    points: [1, 2, 3].map(id => ({
      id,
      vector: { dense: [id, 1, 0, 0], words: { indices: [id], values: [1] } },
      payload: { text: 'a long passage '.repeat(200), id },
    })),
  })
  return server
}

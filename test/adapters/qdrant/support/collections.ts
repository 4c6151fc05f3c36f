import { sendOk } from '../../../support/send.ts'
import type { StoredCollection } from './naive-store.ts'

/** Creates the collection with vectors under the given names ('' is the unnamed one) and fills it. */
export async function fill(
  url: string,
  collection: StoredCollection,
  { dense = 'dense', sparse = 'sparse', distance = 'Cosine' } = {},
): Promise<void> {
  const path = `/collections/${encodeURIComponent(collection.name)}`
  const field = { size: collection.size, distance }
  await sendOk(url, 'PUT', path, {
    vectors: dense === '' ? field : { [dense]: field },
    sparse_vectors: { [sparse]: { modifier: 'idf' } },
  })
  const points = collection.points.map(point => ({
    id: point.id,
    payload: point.payload,
    vector: {
      ...(point.dense ? { [dense]: point.dense } : {}),
      ...(point.sparse ? { [sparse]: point.sparse } : {}),
    },
  }))
  await sendOk(url, 'PUT', `${path}/points?wait=true`, { points })
}

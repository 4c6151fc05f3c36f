import type { StoredCollection } from './naive-store.ts'

/** One request in raw JSON, so that no client stands between the test and the server. */
export async function send(url: string, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return response.json()
}

/** Creates the collection with vectors under the given names ('' is the unnamed one) and fills it. */
export async function fill(
  url: string,
  collection: StoredCollection,
  { dense = 'dense', sparse = 'sparse', distance = 'Cosine' } = {},
): Promise<void> {
  const path = `/collections/${encodeURIComponent(collection.name)}`
  const field = { size: collection.size, distance }
  await send(url, 'PUT', path, {
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
  await send(url, 'PUT', `${path}/points?wait=true`, { points })
}

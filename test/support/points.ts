import { sendOk } from './send.ts'

/** A point as the tests write it; `id` may be the digits of a u64. */
export interface TestPoint {
  id: number | string
  payload: Record<string, unknown>
  dense?: number[]
}

/** Makes a collection as `ingest` would and fills it, both through the given server. */
export async function fill(url: string, collection: string, points: readonly TestPoint[], dimensions = 4) {
  await sendOk(url, 'PUT', `/collections/${collection}`, {
    vectors: { dense: { size: dimensions, distance: 'Cosine' } },
    sparse_vectors: { sparse: { modifier: 'idf' } },
  })
  if (points.length > 0) await upsert(url, collection, points)
}

export async function upsert(url: string, collection: string, points: readonly TestPoint[]) {
  await sendOk(url, 'PUT', `/collections/${collection}/points?wait=true`, `{"points":[${points.map(print)}]}`)
}

/** A chunk of a document with the payload that `ingest` writes. */
export function chunk(id: number | string, text: string, more: Record<string, unknown> = {}): TestPoint {
  const place = { doc_id: `doc-${id}`, doc_title: `Document ${id}`, section_path: 'Section', order_index: 0 }
  return { id, payload: { ...place, text, ...more } }
}

/** Fills several collections. @param dense the vector of the point at an index */
export async function fillAll(
  url: string,
  collections: Record<string, TestPoint[]>,
  dense: (index: number) => number[],
): Promise<void> {
  for (const [name, points] of Object.entries(collections))
    await fill(
      url,
      name,
      points.map((point, index) => ({ ...point, dense: dense(index) })),
    )
}

function print({ id, payload, dense }: TestPoint): string {
  const sparse = { text: String(payload.text ?? ''), model: 'qdrant/bm25' }
  const vector = JSON.stringify({ ...(dense ? { dense } : {}), sparse })
  // UUIDs are quoted, the digits of a u64 are not.
  const spelled = /^\d+$/.test(String(id)) ? id : JSON.stringify(id)
  return `{"id":${spelled},"vector":${vector},"payload":${JSON.stringify(payload)}}`
}

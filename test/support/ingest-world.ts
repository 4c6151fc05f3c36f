import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import type { Embedder } from '../../src/core/ports.ts'
import type { IngestDependencies } from '../../src/ingest/ingest.ts'

/** Words and punctuation marks: near enough to tokens. */
export const countTokens = (text: string): number => text.match(/\w+|[^\w\s]/gu)?.length ?? 0

/** An embedder whose vectors depend on the text alone; it keeps what it was asked. `failAt` makes that call fail. */
export function createFakeEmbedder(
  version = 'fake/4/mean',
  dimensions = 4,
): Embedder & { asked: string[]; failAt: number } {
  const embed = (text: string): Float32Array => {
    const vector = new Float32Array(dimensions)
    for (let i = 0; i < text.length; i += 1) vector[i % dimensions] = (vector[i % dimensions] ?? 0) + text.charCodeAt(i)
    const length = Math.hypot(...vector) || 1
    return vector.map(value => value / length)
  }
  let calls = 0
  const fake = {
    version,
    dimensions,
    asked: [] as string[],
    failAt: Number.POSITIVE_INFINITY,
    embedQuery: () => Promise.reject(new Error('ingest embeds no query')),
    async embedPassages(texts: string[]) {
      calls += 1
      if (calls === fake.failAt) throw new Error('the embedder broke')
      fake.asked.push(...texts)
      return texts.map(embed)
    },
    close: async () => {},
  }
  return fake
}

export function dependencies(url: string, embedder: Embedder | null): IngestDependencies {
  return { target: createQdrantAdmin({ url, apiKey: null }), embedder, countTokens }
}

interface StoredRow {
  id: string
  payload: Record<string, unknown>
  vector: Record<string, unknown>
}

/** Every point of a collection, by id. */
export async function allPoints(url: string, collection: string): Promise<StoredRow[]> {
  const response = await fetch(`${url}/collections/${collection}/points/scroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ limit: 10_000, with_payload: true, with_vector: true }),
  })
  const { result } = (await response.json()) as { result: { points: StoredRow[] } }
  return result.points.sort((a, b) => (a.id < b.id ? -1 : 1))
}

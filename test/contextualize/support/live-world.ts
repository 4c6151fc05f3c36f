import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLiveCollection } from '../../../src/adapters/contextualize/live-collection.ts'
import type { ContextRequest, ContextWriter } from '../../../src/contexts/context.ts'
import { NO_USAGE } from '../../../src/contexts/context.ts'
import { contextStamp } from '../../../src/contexts/context-stamp.ts'
import { encodedText } from '../../../src/contexts/encoded-text.ts'
import { type ContextualizeResult, contextualize } from '../../../src/contextualize/contextualize.ts'
import type { ContextualizeDependencies } from '../../../src/contextualize/dependencies.ts'
import { recogniseEncoding } from '../../../src/contextualize/encoding/recognise.ts'
import { rollBack } from '../../../src/contextualize/rollback.ts'
import { openState } from '../../../src/contextualize/state/state-folder.ts'
import type { Embedder } from '../../../src/core/ports.ts'
import { createQdrantHttp } from '../../../src/qdrant/client.ts'
import { readChunk } from '../../../src/qdrant/payload/read-chunk.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { encodeBm25Document } from '../../../src/text/qdrant-bm25.ts'
import { send } from '../../support/send.ts'

export const DIMENSIONS = 16

/** An embedder whose vectors of different texts are far apart. */
export function hashEmbedder(): Embedder & { embedded: string[] } {
  const embedded: string[] = []
  const embed = (text: string): Float32Array => {
    let seed = 7
    for (const unit of text) seed = (Math.imul(seed, 31) + (unit.codePointAt(0) ?? 0)) | 0
    const random = seededRandom(seed)
    const values = Float32Array.from({ length: DIMENSIONS }, () => random() - 0.5)
    const length = Math.hypot(...values)
    return values.map(value => value / length)
  }
  return {
    version: `hash:${DIMENSIONS}:mean`,
    dimensions: DIMENSIONS,
    embedded,
    embedQuery: async text => embed(text),
    embedPassages: async texts => {
      embedded.push(...texts)
      return texts.map(embed)
    },
    close: async () => {},
  }
}

/** A writer whose contexts depend on the request alone. */
export function fakeWriter(options: Partial<ContextWriter> = {}): ContextWriter & { asked: ContextRequest[] } {
  const asked: ContextRequest[] = []
  return {
    model: 'fake-model',
    version: 'fake-1',
    endpoint: 'http://models.test',
    concurrency: 4,
    asked,
    write: async request => {
      asked.push(request)
      return contextOf(request)
    },
    ...options,
  }
}

export function contextOf({ document, chunk }: ContextRequest) {
  const text = `Of ${document.docId}, which begins with ${document.text.slice(0, 12)}: ${chunk.text.slice(0, 9)}`
  const usage = { ...NO_USAGE, input: 100, output: 10 }
  return { text, quality: 0.75, model: 'fake-model', tokens: 9, usage, calls: 1, fallback: null }
}

export interface RawPoint {
  id: number | bigint | string
  payload: Record<string, unknown>
  vector: Record<string, unknown>
}

/** The points of `documents` with so many chunks each, as `stowage ingest` would have made them. */
export async function seedPoints(
  documents: Record<string, number>,
  extra: Record<string, unknown> = {},
): Promise<RawPoint[]> {
  const points: Omit<RawPoint, 'vector'>[] = []
  for (const [docId, chunks] of Object.entries(documents)) {
    for (let at = 0; at < chunks; at++) {
      const text = `${docId} part ${at}: the valve ${at * 3} of ${docId} opens at ${at + 7} bar.`
      const payload = {
        doc_id: docId,
        doc_title: `Title ${docId}`,
        section_path: `Part ${at % 3}`,
        order_index: at,
        text,
        ...extra,
      }
      points.push({ id: points.length + 1, payload })
    }
  }
  return withPlainVectors(points)
}

/** Adds the vectors that ingest would have written. */
export async function withPlainVectors(points: Omit<RawPoint, 'vector'>[]): Promise<RawPoint[]> {
  const texts = points.map(({ id, payload }) => {
    const { docTitle, docName, sectionPath, text } = readChunk({ id, payload }, '')
    return encodedText({ docTitle, docName, sectionPath, text })
  })
  const dense = await hashEmbedder().embedPassages(texts)
  return points.map((point, at) => ({
    ...point,
    vector: { dense: Array.from(dense[at] ?? []), sparse: encodeBm25Document(texts[at] ?? '') },
  }))
}

export async function createCollection(url: string, collection: string, points: RawPoint[]): Promise<void> {
  const vectors = { dense: { size: DIMENSIONS, distance: 'Cosine' } }
  await send(url, 'PUT', `/collections/${collection}`, { vectors, sparse_vectors: { sparse: { modifier: 'idf' } } })
  if (points.length > 0) await send(url, 'PUT', `/collections/${collection}/points?wait=true`, { points })
}

/** Everything in a collection, as text: ids, payloads and vectors with each digit. */
export async function rawPoints(url: string, collection: string): Promise<string> {
  const body = { limit: 10_000, with_payload: true, with_vector: true }
  const { text } = await send(url, 'POST', `/collections/${collection}/points/scroll`, body)
  return text.replace(/"time":[\d.e-]+/u, '"time":0')
}

export async function pointsOf(url: string, collection: string): Promise<RawPoint[]> {
  return (JSON.parse(await rawPoints(url, collection)) as { result: { points: RawPoint[] } }).result.points
}

/** What is wrong with the points of a collection: each must have the context of its text, and the vectors of both. */
export async function faultsOf(url: string, collection: string, version: string): Promise<string[]> {
  const points = await pointsOf(url, collection)
  const chunks = points.map(point => readChunk(point, collection))
  const texts = chunks.map((chunk, at) => encodedText({ ...chunk, context: String(points[at]?.payload.context) }))
  const dense = await hashEmbedder().embedPassages(texts)
  return points.flatMap(({ id, payload, vector }, at) => {
    const chunk = chunks[at]
    const own = Array.from(dense[at] ?? [])
    const stored = (vector.dense as number[]) ?? []
    const isFar = own.some((value, i) => Math.abs(value - (stored[i] ?? 9)) > 1e-5)
    const { indices } = encodeBm25Document(texts[at] ?? '')
    return [
      ...(chunk && payload.context_version === contextStamp(version, chunk)
        ? []
        : [`${id}: stamp ${payload.context_version}`]),
      ...(isFar ? [`${id}: dense vector of another text`] : []),
      ...(JSON.stringify(indices) === JSON.stringify((vector.sparse as { indices: number[] })?.indices)
        ? []
        : [`${id}: sparse`]),
    ]
  })
}

export const NO_PARTITION = { fields: ['tenant'], readersOf: async () => new Map<string, string>() }

export function temporaryFolder(): { folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'contextualize-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Runs once in its own state folder, as a process would. */
export async function runOnce(
  url: string,
  collection: string,
  folder: string,
  over: Partial<ContextualizeDependencies> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<ContextualizeResult> {
  const http = createQdrantHttp(url)
  const state = openState(folder, () => () => {})
  try {
    const live = openLiveCollection({ http, apiKey: null, collection })
    const embedder = over.embedder ?? hashEmbedder()
    const writer = over.writer ?? fakeWriter()
    const { encoding } =
      over.encoding === undefined ? await recogniseEncoding(live, embedder, state.former) : { encoding: over.encoding }
    const rules = fakeWriter({ model: 'rules', version: 'rules-1', endpoint: null })
    const mustStay = async () => new Set<string>()
    const dependencies = {
      collection: live,
      writer,
      rules,
      embedder,
      encoding,
      partition: NO_PARTITION,
      mustStay,
      budget: null,
      ...over,
      state,
    }
    return await contextualize(dependencies, () => {}, signal)
  } finally {
    state.close()
    await http.close()
  }
}

export async function rollBackOnce(
  url: string,
  collection: string,
  folder: string,
  over: { plain?: 'text' | 'titled' } = {},
) {
  const http = createQdrantHttp(url)
  const state = openState(folder, () => () => {})
  try {
    const live = openLiveCollection({ http, apiKey: null, collection })
    const encoding = {
      dense: 'dense',
      sparse: 'sparse',
      plain: over.plain ?? ('titled' as const),
      keywords: 'stowage' as const,
    }
    const signal = new AbortController().signal
    return await rollBack(
      { collection: live, embedder: hashEmbedder(), encoding, former: state.former },
      () => {},
      signal,
    )
  } finally {
    state.close({ rolledBack: true })
    await http.close()
  }
}

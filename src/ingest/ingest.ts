import { StowageError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import { encodeBm25Document } from '../text/qdrant-bm25.ts'
import { chunkMarkdown } from './chunking/chunk-markdown.ts'
import { documentsFilter, type PointScope, type PreparedPoint, preparePoint } from './points.ts'
import type { SourceDocument } from './read-documents.ts'
import type { CollectionWriter, IngestTarget, StoredPoint } from './target.ts'

export interface IngestDependencies {
  target: IngestTarget
  /** Without an embedder only sparse vectors are written. */
  embedder: Embedder | null
  /** Measures the size of chunks. */
  countTokens: (text: string) => number
}

export interface IngestOptions extends PointScope {
  /** Target size of a chunk in tokens. */
  chunkTokens?: number
  /** Share of the target size that a chunk repeats from the previous chunk. */
  overlap?: number
  /** Chunks that are embedded and written at a time. */
  batchSize?: number
  /** Write even if the collection holds vectors of another embedder. */
  allowMixedEmbedders?: boolean
  /** Count the changes and write nothing. */
  dryRun?: boolean
}

export const DEFAULT_BATCH_SIZE = 64

export interface IngestSummary {
  collection: string
  /** True when this run created the collection. */
  created: boolean
  documents: number
  /** Documents without a chunk to write or delete. */
  unchanged: number
  chunks: number
  tokens: number
  written: number
  deleted: number
  warnings: string[]
}

export type OnIngestProgress = (progress: { documents: number; chunks: number; written: number }) => void

interface PreparedDocument {
  docId: string
  points: PreparedPoint[]
}

/**
 * Chunks documents and writes them to a collection. Unchanged chunks are neither embedded nor written again. Old chunks of a
 * document are deleted after its new ones are written, so an interrupted run can be repeated. Documents that are missing in the
 * source are not deleted.
 *
 * @throws StowageError `unprocessable` when the collection cannot store the vectors, or holds vectors of another embedder
 */
export async function ingest(
  documents: AsyncIterable<SourceDocument> | Iterable<SourceDocument>,
  dependencies: IngestDependencies,
  options: IngestOptions,
  onProgress: OnIngestProgress = () => {},
): Promise<IngestSummary> {
  const { collection, batchSize = DEFAULT_BATCH_SIZE, dryRun = false } = options
  const { embedder } = dependencies
  const denseSize = embedder?.dimensions ?? null
  const writer = await dependencies.target.open(collection, { denseSize, create: !dryRun })
  if (writer && !options.allowMixedEmbedders) await refuseMixing(writer, embedder, collection)
  const counts = { documents: 0, unchanged: 0, chunks: 0, tokens: 0, written: 0, deleted: 0 }
  const summary: IngestSummary = { collection, created: writer?.created ?? false, ...counts, warnings: [] }
  if (writer?.hasSparse === false)
    summary.warnings.push(
      `collection ${collection} has no sparse vector with modifier idf: only dense vectors are written`,
    )

  const report = (): void =>
    onProgress({ documents: summary.documents, chunks: summary.chunks, written: summary.written })
  for await (const batch of prepareBatches(documents, dependencies, options, batchSize, summary)) {
    const { changed, stale, unchanged } = await compare(batch, writer, options)
    for (let at = 0; at < changed.length; at += batchSize) {
      const points = changed.slice(at, at + batchSize)
      if (writer && !dryRun) await write(points, writer, embedder)
      summary.written += points.length
      report()
    }
    if (writer && !dryRun && stale.length > 0) await writer.remove(stale)
    summary.deleted += stale.length
    summary.unchanged += unchanged
    report()
  }
  return summary
}

async function refuseMixing(writer: CollectionWriter, embedder: Embedder | null, collection: string): Promise<void> {
  const key = 'embedder_version'
  const own = embedder ? [{ key, match: { value: embedder.version } }] : []
  const [other] = await writer.sample(1, { must_not: [{ is_empty: { key } }, ...own] })
  if (other === undefined) return
  const version = (other as Record<string, unknown>)[key]
  throw new StowageError(
    'unprocessable',
    `collection ${collection} holds vectors of the embedder ${version}; the embedder of this run is ${embedder?.version ?? 'none'}. ` +
      'Ingest into another collection, or replace the documents one by one with --allow-mixed-embedders.',
  )
}

/** Chunks the documents and yields batches of whole documents; adds counts and warnings to `summary`. */
async function* prepareBatches(
  documents: AsyncIterable<SourceDocument> | Iterable<SourceDocument>,
  { embedder, countTokens }: IngestDependencies,
  options: IngestOptions,
  batchSize: number,
  summary: IngestSummary,
): AsyncIterable<PreparedDocument[]> {
  const seen = new Set<string>()
  const chunking = { targetTokens: options.chunkTokens, overlap: options.overlap, count: countTokens }
  let batch: PreparedDocument[] = []
  let waiting = 0
  for await (const document of documents) {
    if (document.warning) summary.warnings.push(document.warning)
    if (seen.has(document.docId)) {
      summary.warnings.push(`document ${document.docId} occurs more than once: only the first one is ingested`)
      continue
    }
    seen.add(document.docId)
    const chunks = chunkMarkdown(document, chunking)
    const points = chunks.map(chunk => preparePoint(document, chunk, options, embedder?.version ?? null))
    summary.documents += 1
    summary.chunks += points.length
    summary.tokens += points.reduce((sum, point) => sum + point.tokens, 0)
    batch.push({ docId: document.docId, points })
    waiting += points.length
    if (waiting >= batchSize || batch.length >= batchSize) {
      yield batch
      batch = []
      waiting = 0
    }
  }
  if (batch.length > 0) yield batch
}

/** Compares a batch with the stored points: chunks to write, ids to delete, number of unchanged documents. */
async function compare(
  batch: PreparedDocument[],
  writer: CollectionWriter | null,
  scope: PointScope,
): Promise<{ changed: PreparedPoint[]; stale: string[]; unchanged: number }> {
  const docIds = batch.map(document => document.docId)
  const stored =
    writer && !writer.created ? await writer.stored(documentsFilter(docIds, scope)) : new Map<string, StoredPoint>()
  const all = batch.flatMap(document => document.points)
  const changed = all.filter(point => stored.get(point.id)?.contentHash !== point.payload.content_hash)

  const current = new Set(all.map(point => point.id))
  const stale = [...stored.keys()].filter(id => !current.has(id))
  const touched = new Set([...changed.map(point => point.payload.doc_id), ...stale.map(id => stored.get(id)?.docId)])
  return { changed, stale, unchanged: docIds.filter(docId => !touched.has(docId)).length }
}

async function write(points: PreparedPoint[], writer: CollectionWriter, embedder: Embedder | null): Promise<void> {
  const vectors = await embedder?.embedPassages(points.map(point => point.encodedText))
  const rows = points.map(({ id, payload, encodedText }, index) => {
    return { id, payload, dense: vectors?.[index] ?? null, sparse: encodeBm25Document(encodedText) }
  })
  await writer.upsert(rows)
}

import { StowageError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import { encodeBm25Document } from '../text/qdrant-bm25.ts'
import { chunkMarkdown } from './chunking/chunk-markdown.ts'
import type { SourceDocument } from './decode-text.ts'
import { documentsFilter, type PointScope, type PreparedPoint, preparePoint } from './points.ts'
import type { CollectionWriter, IngestTarget, StoredPoint } from './target.ts'

/** What ingest asks of the world. */
export interface IngestDependencies {
  target: IngestTarget
  /** Null writes sparse vectors only. */
  embedder: Embedder | null
  /** Counts the tokens that `chunkTokens` means. */
  countTokens: (text: string) => number
}

export interface IngestOptions extends PointScope {
  /** Size of the chunks aimed at, default 200. */
  chunkTokens?: number | undefined
  /** Share of it that a chunk repeats of the one before, default .12. */
  overlap?: number | undefined
  /** Chunks embedded and written at a time, default 64. */
  batchSize?: number | undefined
  /** Write although the collection holds vectors of another embedder. */
  allowMixedEmbedders?: boolean | undefined
  /** Count what would be done and write nothing. */
  dryRun?: boolean | undefined
}

export interface IngestSummary {
  collection: string
  /** Whether the collection was made by this run. */
  created: boolean
  documents: number
  /** Documents of which nothing had to be written or deleted. */
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
 * Brings documents into a collection: chunks, vectors, payload. A chunk that stands there already is neither embedded nor
 * written again, chunks that a document no longer has are deleted after the new ones are in, so a run that was cut short is
 * finished by running it again. Documents that are no longer in the source stay.
 *
 * @throws StowageError `unprocessable` when the collection cannot take the vectors, or holds another embedder's
 */
export async function ingest(
  documents: AsyncIterable<SourceDocument> | Iterable<SourceDocument>,
  dependencies: IngestDependencies,
  options: IngestOptions,
  onProgress: OnIngestProgress = () => {},
): Promise<IngestSummary> {
  const { batchSize = 64, dryRun = false } = options
  const denseSize = dependencies.embedder?.dimensions ?? null
  const writer = await dependencies.target.open(options.collection, { denseSize, create: !dryRun })
  const summary = emptySummary(options.collection, writer)
  if (writer && !options.allowMixedEmbedders) await refuseMixing(writer, dependencies.embedder, options.collection)

  const report = (): void =>
    onProgress({ documents: summary.documents, chunks: summary.chunks, written: summary.written })
  for await (const batch of prepareBatches(documents, dependencies, options, batchSize, summary)) {
    const { changed, stale, unchanged } = await compare(batch, writer, options)
    for (let at = 0; at < changed.length; at += batchSize) {
      const points = changed.slice(at, at + batchSize)
      if (writer && !dryRun) await write(points, writer, dependencies.embedder)
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

function emptySummary(collection: string, writer: CollectionWriter | null): IngestSummary {
  const warnings =
    writer?.hasSparse === false
      ? [`collection ${collection} has no sparse vector with modifier idf: only dense vectors are written`]
      : []
  return {
    collection,
    created: writer?.created ?? false,
    ...{ documents: 0, unchanged: 0, chunks: 0, tokens: 0, written: 0, deleted: 0 },
    warnings,
  }
}

async function refuseMixing(writer: CollectionWriter, embedder: Embedder | null, collection: string): Promise<void> {
  const key = 'embedder_version'
  const own = embedder ? [{ key, match: { value: embedder.version } }] : []
  const [other] = await writer.sample(1, { must_not: [{ is_empty: { key } }, ...own] })
  if (other === undefined) return
  const version = (other as Record<string, unknown>)[key]
  throw new StowageError(
    'unprocessable',
    `collection ${collection} holds vectors of ${version}, this run would write ${embedder?.version ?? 'none'}. ` +
      'Ingest into another collection, or allow mixed embedders to replace the documents one by one.',
  )
}

/** Chunks documents one by one and gives them out in batches of whole documents, the summary counting along. */
async function* prepareBatches(
  documents: AsyncIterable<SourceDocument> | Iterable<SourceDocument>,
  { embedder, countTokens }: IngestDependencies,
  options: IngestOptions,
  batchSize: number,
  summary: IngestSummary,
): AsyncIterable<PreparedDocument[]> {
  const seen = new Set<string>()
  const chunking = { targetTokens: options.chunkTokens ?? 200, overlap: options.overlap ?? 0.12, count: countTokens }
  let batch: PreparedDocument[] = []
  let waiting = 0
  for await (const document of documents) {
    if (document.warning) summary.warnings.push(document.warning)
    if (seen.has(document.docId)) {
      summary.warnings.push(`document ${document.docId} comes more than once: only the first is taken`)
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

/** What must be written and deleted so that the collection holds just these documents' chunks. */
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
  const rows = points.map((point, index) => ({
    id: point.id,
    dense: vectors?.[index] ?? null,
    sparse: encodeBm25Document(point.encodedText),
    payload: point.payload,
  }))
  await writer.upsert(rows)
}

import type { ContextWriter } from '../contexts/context.ts'
import { badRequest, StowageError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import type { Chunking } from '../core/types.ts'
import { contentHash } from '../text/fingerprint.ts'
import { namesInPath } from '../text/names/document-name.ts'
import { encodeKeywords, hasEnglishKeywords } from '../text/terms/keyword-vectors.ts'
import { noContexts, type WrittenContexts, withContexts } from './chunk-contexts.ts'
import { chunkDocument } from './chunking/chunk-document.ts'
import { byKind, changesOf, groupByDocument, replacementOf, upToDate } from './compare.ts'
import { bytesOf, type FoundDocuments, readGroups } from './document-groups.ts'
import { type ChangedParents, changedParentsOf, writeParents } from './parent-points.ts'
import { documentsFilter, type PointScope, type PreparedPoint, preparePoint } from './points.ts'
import { prune } from './prune.ts'
import type { SourceDocument, SourceEntry } from './source-document.ts'
import { type CollectionWriter, DEFAULT_BATCH_SIZE, type IngestTarget } from './target.ts'

export interface IngestDependencies {
  target: IngestTarget
  /** Without an embedder only sparse vectors are written. */
  embedder: Embedder | null
  /** Measures the size of chunks. */
  countTokens: (text: string) => number
  /** Name of the tokenizer: chunks that another one measured are cut again. */
  tokenizer?: string
  /** Null takes contexts away. Without it, chunks keep what they have, and those that are written get none. */
  contexts?: ContextWriter | null
}

export interface IngestOptions extends PointScope {
  /** How documents are cut. Default: `sections`. */
  chunking?: Chunking
  /** Target size of a chunk in tokens. Default: that of the chunking. */
  chunkTokens?: number
  /** Share of the target size that a chunk repeats from the previous chunk. */
  overlap?: number
  /** Chunks that are embedded and written at a time. */
  batchSize?: number
  /** Write even if the collection holds vectors of another embedder. */
  allowMixedEmbedders?: boolean
  /** Delete the documents of `source` that were not read. */
  prune?: boolean
  /** Prune even when no document was read. */
  allowEmpty?: boolean
  /** Count the changes and write nothing. */
  dryRun?: boolean
}

export interface IngestSummary {
  collection: string
  /** True when this run created the collection. */
  created: boolean
  /** Name of the source; null when none was given. */
  source: string | null
  documents: number
  /** Documents without a chunk to write or delete, the empty ones aside. */
  unchanged: number
  /** Ids of the documents without a chunk: nothing, or headings alone. */
  empty: string[]
  chunks: number
  tokens: number
  written: number
  /** Deleted chunks, those of pruned documents included. */
  deleted: number
  /** Ids of the documents that left the source. */
  pruned: string[]
  /** Documents and files that were not ingested, by kind. */
  skipped: Record<string, number>
  /** The contexts that this run wrote; null without a writer. */
  contexts: WrittenContexts | null
  warnings: string[]
}

export interface IngestProgress {
  /** Documents that are read and, when they changed, whose new chunks are written; skipped ones count. */
  documents: number
  /** Chunks found, and chunks written. Both run ahead of `documents`. */
  chunks: number
  written: number
  /** The size of the changed documents, as far as they are written, and of all others that were read. Only the first take time. */
  bytes: { written: number; unchanged: number }
}

type OnIngestProgress = (progress: IngestProgress) => void

/** Change when the same text gives other chunks, so that every document is cut again. */
const CHUNKING_VERSIONS: Readonly<Record<Chunking, number | string>> = {
  sections: 21,
  'parent-child': 'parent-child 21',
}
/** Changes when a text that is not English gets other keywords, so that its document is written again. */
const KEYWORDS_VERSION = 'keywords 1'

/** Warnings about documents that replace those of another folder; more are counted. */
const SHOWN_REPLACEMENTS = 5

/**
 * Chunks documents and writes them to a collection. Unchanged documents are neither chunked nor written again, unchanged chunks
 * neither embedded nor written. Old chunks of a document are deleted after its new ones are written, so an interrupted run can be
 * repeated. Documents that are missing in the source are only deleted with `prune`.
 *
 * @throws StowageError `unprocessable` when the collection cannot store the vectors, or holds vectors of another embedder, or when
 *   nothing was read that could be pruned against; `bad_request` when `prune` has no `source`
 */
export async function ingest(
  documents: AsyncIterable<SourceEntry> | Iterable<SourceEntry>,
  dependencies: IngestDependencies,
  options: IngestOptions,
  onProgress: OnIngestProgress = () => {},
): Promise<IngestSummary> {
  const { collection, batchSize = DEFAULT_BATCH_SIZE, dryRun = false, source } = options
  const { embedder, target } = dependencies
  if (options.prune && source === undefined) throw badRequest('pruning needs the name of the source')
  const opened = await target.open(collection, { denseSize: embedder?.dimensions ?? null, create: !dryRun })
  if (opened && !options.allowMixedEmbedders) await refuseMixing(opened, embedder, collection)
  const writer = dryRun ? null : opened
  const summary = newSummary(opened, dependencies, options)
  const found: FoundDocuments = { places: new Map(), bytes: 0, unreadFolders: [] }
  const replaced: string[] = []
  let done = 0
  /** The size of the changed documents that were read, and how much of it is written. */
  const bytes = { changed: 0, written: 0 }
  const report = (): void =>
    onProgress({
      documents: done,
      chunks: summary.chunks,
      written: summary.written,
      bytes: { written: bytes.written, unchanged: found.bytes - bytes.changed },
    })
  for await (const group of readGroups(documents, batchSize, found, summary)) {
    const compared = await compare(group, opened, dependencies, options, summary, replaced)
    const { changed, stale, parents } = compared
    bytes.changed += compared.bytes
    // Before the first chunk, whose mark says that the document is complete.
    if (writer) await writeParents(parents.changed, writer, batchSize)
    for (let at = 0; at < changed.length; at += batchSize) {
      const batch = changed.slice(at, at + batchSize)
      if (writer) await write(batch, writer, dependencies, summary.contexts)
      summary.written += batch.length
      bytes.written += (compared.bytes * batch.length) / changed.length
      const waiting = new Set(changed.slice(at + batchSize).map(({ payload }) => payload.doc_id))
      done = found.places.size - waiting.size
      report()
    }
    const gone = [...stale, ...parents.stale]
    if (writer && gone.length > 0) await writer.remove(gone)
    summary.deleted += stale.length
    bytes.written = bytes.changed
    done = found.places.size
    report()
  }
  done = found.places.size
  report()
  summary.warnings.push(...replaced.slice(0, SHOWN_REPLACEMENTS))
  if (replaced.length > SHOWN_REPLACEMENTS)
    summary.warnings.push(`${replaced.length - SHOWN_REPLACEMENTS} more documents replaced those of another source`)
  if (summary.written > 0 && opened && dependencies.contexts === undefined && (await hasContexts(opened)))
    summary.warnings.push(withoutContexts(summary))
  if (options.prune && source !== undefined && opened) {
    const isEmpty = summary.documents === 0 && !options.allowEmpty
    const { documents, chunks } = await prune(source, opened, options, { ...found, isEmpty })
    summary.pruned = documents
    summary.deleted += chunks
  }
  return summary
}

function newSummary(
  writer: CollectionWriter | null,
  { contexts }: IngestDependencies,
  { collection, source }: IngestOptions,
): IngestSummary {
  const warnings =
    writer?.hasSparse === false
      ? [`collection ${collection} has no sparse vector with modifier idf: only dense vectors are written`]
      : []
  return {
    ...{ collection, created: writer?.created ?? false, source: source ?? null },
    contexts: contexts ? noContexts(contexts) : null,
    ...{ documents: 0, unchanged: 0, chunks: 0, tokens: 0, written: 0, deleted: 0 },
    ...{ empty: [], pruned: [], skipped: {}, warnings },
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
    `collection ${collection} holds vectors of the embedder ${version}; the embedder of this run is ${embedder?.version ?? 'none'}. ` +
      'Ingest into another collection, or replace the documents one by one with --allow-mixed-embedders.',
  )
}

function withoutContexts({ collection, written }: IngestSummary): string {
  return `chunks of ${collection} have contexts, but the ${written} that this run writes have none: give --context, or run \`stowage contextualize\` after it`
}

async function hasContexts(writer: CollectionWriter): Promise<boolean> {
  const [found] = await writer.sample(1, { must_not: [{ is_empty: { key: 'context_version' } }] })
  return found !== undefined
}

/** Compares documents with the stored points, and adds their counts to `summary`. Documents whose mark fits are not chunked. */
async function compare(
  documents: SourceDocument[],
  writer: CollectionWriter | null,
  dependencies: IngestDependencies,
  options: IngestOptions,
  summary: IngestSummary,
  replaced: string[],
): Promise<ChangedPoints> {
  const { embedder, countTokens, contexts } = dependencies
  const docIds = documents.map(document => document.docId)
  const found = writer && !writer.created ? await writer.stored(documentsFilter(docIds, options)) : new Map()
  const stored = groupByDocument(found)
  const embedderVersion = embedder?.version ?? null
  const all: ChangedPoints = { bytes: 0, changed: [], stale: [], parents: { changed: [], stale: [] } }
  for (const document of documents) {
    const { chunks: before, parents: parentsBefore } = byKind(stored.get(document.docId))
    const hash = hashOf(document, dependencies, options)
    const current = upToDate(hash, before, contexts)
    summary.documents += 1
    summary.chunks += current?.chunks ?? 0
    summary.tokens += current?.tokens ?? 0
    if (current) {
      summary.unchanged += 1
      continue
    }
    all.bytes += bytesOf(document)
    const { chunks, parents } = chunkDocument(document, { ...options, count: countTokens })
    const tokens = chunks.reduce((sum, chunk) => sum + chunk.tokens, 0)
    const mark = { hash, chunks: chunks.length, tokens }
    const whole = { ...document, lang: options.lang ?? document.lang ?? null }
    const points = chunks.map(chunk => preparePoint(whole, chunk, options, embedderVersion, mark))
    const { changed, stale } = changesOf(points, mark, before, contexts)
    all.changed.push(...changed)
    all.stale.push(...stale)
    const ofParents = changedParentsOf(document, parents, options, embedderVersion, parentsBefore)
    all.parents.changed.push(...ofParents.changed)
    all.parents.stale.push(...ofParents.stale)
    summary.chunks += mark.chunks
    summary.tokens += mark.tokens
    if (chunks.length === 0) summary.empty.push(document.docId)
    else if (changed.length + stale.length === 0) summary.unchanged += 1
    const replacement = replacementOf(document, before, options)
    if (replacement !== null) replaced.push(replacement)
  }
  return all
}

/** Changes with all that the chunks and vectors of a document depend on. */
function hashOf(
  { docId, title, text, frontMatter, lang: ownLang, pages, headings }: SourceDocument,
  { embedder, tokenizer = '' }: IngestDependencies,
  { chunking = 'sections', chunkTokens, overlap, source, acl, lang }: IngestOptions,
): string {
  const settings = [CHUNKING_VERSIONS[chunking], tokenizer, chunkTokens, overlap, embedder?.version ?? null]
  const isConverted = pages !== undefined || headings !== undefined
  const ofFile = isConverted ? [ownLang, pages, headings] : []
  // English documents were written with the same keywords before, so they stay.
  const ofKeywords = hasEnglishKeywords(text) ? [] : [KEYWORDS_VERSION]
  // Documents whose path says nothing more were written with the same vectors before.
  const names = namesInPath(title, docId)
  const ofName = Object.keys(names).length === 0 ? [] : [names]
  return contentHash(
    JSON.stringify([...settings, source, acl, lang, title, frontMatter, text, ...ofFile, ...ofKeywords, ...ofName]),
  )
}

interface ChangedPoints {
  /** The size of the documents that were cut. */
  bytes: number
  changed: PreparedPoint[]
  stale: string[]
  parents: ChangedParents
}

async function write(
  batch: PreparedPoint[],
  writer: CollectionWriter,
  { embedder, contexts }: IngestDependencies,
  counts: WrittenContexts | null,
): Promise<void> {
  const points = contexts && counts ? await withContexts(batch, contexts, counts) : batch
  const vectors = await embedder?.embedPassages(points.map(point => point.encodedText))
  const rows = points.map(({ id, payload, encodedText }, index) => {
    return { id, payload, dense: vectors?.[index] ?? null, sparse: encodeKeywords(encodedText) }
  })
  await writer.upsert(rows)
}

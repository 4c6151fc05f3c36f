import { createHash } from 'node:crypto'
import type { ChunkContext, ContextDocument, ContextRequest } from '../contexts/context.ts'
import { contextStamp } from '../contexts/context-stamp.ts'
import { encodedText } from '../contexts/encoded-text.ts'
import { contextFields } from '../contexts/payload-fields.ts'
import type { Json, JsonObject } from '../core/types.ts'
import { contentHash, fingerprint } from '../text/fingerprint.ts'
import { type DocumentNames, namesInPath } from '../text/names/document-name.ts'
import type { DocumentChunk } from './chunking/chunk-markdown.ts'
import type { SourceDocument } from './source-document.ts'
import type { DocumentMark } from './target.ts'

/** The collection, and the payload fields that every point of a run has. */
export interface PointScope {
  collection: string
  /** Name of the source of the documents. */
  source?: string | undefined
  /** Absolute path of the folder of the documents; stored as a fingerprint when the source has no name. */
  folder?: string | undefined
  tenant?: string | undefined
  space?: string | undefined
  acl?: string[] | undefined
  lang?: string | undefined
}

/** A point without its vectors. */
export interface PreparedPoint {
  id: string
  /** The input of both vectors: the context if there is one, title, what the path says and section path, then the stored text. */
  encodedText: string
  /** What a context of the chunk is written from. */
  contextRequest: ContextRequest
  /**
   * `content_hash` covers the encoded text and the payload, except `source_folder`, `document_mark` and the
   * context: a stored point with an equal hash is up to date, and a chunk keeps its context when the rest of its document changes.
   */
  payload: JsonObject & { content_hash: string }
}

/**
 * A point without a context.
 * @param mark stored with the first chunk
 */
export function preparePoint(
  document: ContextDocument & Pick<SourceDocument, 'frontMatter' | 'pages' | 'headings'>,
  chunk: DocumentChunk,
  scope: PointScope,
  embedderVersion: string | null,
  mark: DocumentMark | null = null,
): PreparedPoint {
  const { sectionPath, text, charStart: start } = chunk
  const encoded = encodedText({ ...namesOf(document), sectionPath, text })
  const payload = given({
    doc_id: document.docId,
    doc_title: document.title,
    section_path: chunk.sectionPath,
    header: chunk.header,
    order_index: chunk.orderIndex,
    char_start: chunk.charStart,
    char_end: chunk.charEnd,
    ...(document.pages === undefined ? {} : pageRange(document.pages, chunk)),
    headings: document.headings === 'unknown' ? 'unknown' : undefined,
    text: chunk.text,
    front_matter: document.frontMatter,
    ...scopeFields({ ...scope, lang: document.lang ?? undefined }, embedderVersion),
    parent_id: chunk.parent === undefined ? undefined : parentId(document.docId, chunk.parent, scope),
  })
  return {
    id: pointId(scope, [document.docId, chunk.orderIndex]),
    encodedText: encoded,
    contextRequest: { document, chunk: { sectionPath, text, start } },
    payload: {
      ...payload,
      ...folderFields(scope),
      ...(mark === null || chunk.orderIndex !== 0 ? {} : { document_mark: { ...mark } }),
      content_hash: contentHash(JSON.stringify([encoded, payload])),
    },
  }
}

/** The point with a context, which its vectors are of too. */
export function withContext(point: PreparedPoint, context: ChunkContext, version: string): PreparedPoint {
  const { document, chunk } = point.contextRequest
  const { sectionPath, text } = chunk
  return {
    ...point,
    encodedText: encodedText({ ...namesOf(document), sectionPath, text, context: context.text }),
    payload: {
      ...point.payload,
      ...contextFields(context, contextStamp(version, { docTitle: document.title, sectionPath, text })),
    },
  }
}

/** What a document is called, as a reader of its points sees it. */
export function namesOf({ title, docId }: Pick<SourceDocument, 'title' | 'docId'>): DocumentNames {
  return { docTitle: title, ...namesInPath(title, docId) }
}

/** The payload fields that every point of a run has. */
export function scopeFields(scope: PointScope, embedderVersion: string | null): JsonObject {
  return given({
    source: scope.source,
    embedder_version: embedderVersion ?? undefined,
    tenant: scope.tenant,
    space_id: scope.space,
    acl: scope.acl,
    lang: scope.lang,
  })
}

/** Without the fields that are undefined. */
export function given(fields: Record<string, Json | undefined>): JsonObject {
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return Object.fromEntries(entries)
}

/** A fingerprint instead of a path: payloads are seen by clients. Null when the source has a name, which says more. */
export function folderMark({ source, folder }: PointScope): string | null {
  return source === undefined && folder !== undefined ? fingerprint(folder) : null
}

/** The field that says from which folder a point is. Its hash does not cover it. */
export function folderFields(scope: PointScope): JsonObject {
  return given({ source_folder: folderMark(scope) ?? undefined })
}

/** Matches the points of these documents with the tenant and space of `scope`. */
export function documentsFilter(docIds: string[], scope: PointScope): JsonObject {
  return scopeFilter({ key: 'doc_id', match: { any: docIds } }, scope)
}

/** Matches the points of a source with the tenant and space of `scope`. */
export function sourceFilter(source: string, scope: PointScope): JsonObject {
  return scopeFilter({ key: 'source', match: { value: source } }, scope)
}

function scopeFilter(condition: JsonObject, scope: PointScope): JsonObject {
  const matching = (key: string, value: string | undefined): JsonObject =>
    value === undefined ? { is_empty: { key } } : { key, match: { value } }
  return { must: [condition, matching('tenant', scope.tenant), matching('space_id', scope.space)] }
}

const NAMESPACE = Buffer.from('9f5d2c1e8b7a4e0fa3c6d1b2e4f58a70', 'hex')

/** Id of a parent, from its place among the parents of the document. */
export function parentId(docId: string, place: number, scope: PointScope): string {
  return pointId(scope, [docId, 'parent', place])
}

/** UUID version 5 (RFC 9562) of the scope and the parts, so that a chunk keeps its id from run to run. */
function pointId({ collection, tenant, space }: PointScope, parts: (string | number)[]): string {
  const name = JSON.stringify([collection, tenant ?? null, space ?? null, ...parts])
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest().subarray(0, 16)
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6)
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8)
  return hash.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/**
 * The first and the last page of a chunk, counted from 1.
 * @param pages offset in the text where each page begins, ascending
 */
function pageRange(
  pages: readonly number[],
  { charStart, charEnd }: { charStart: number; charEnd: number },
): { page_start: number; page_end: number } {
  const pageAt = (offset: number): number => Math.max(1, pages.findLastIndex(start => start <= offset) + 1)
  return { page_start: pageAt(charStart), page_end: pageAt(Math.max(charStart, charEnd - 1)) }
}

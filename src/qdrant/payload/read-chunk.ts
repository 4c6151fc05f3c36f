import type { Chunk, PointId } from '../../core/types.ts'
import { namesInPath } from '../../text/names/document-name.ts'
import { isObject } from '../json.ts'
import { pageAndLines } from './page-and-lines.ts'
import { asIndex, CONTAINERS, NODE_CONTENT, valueAt } from './value-at.ts'

/** Common names of each field of a chunk. Those that stowage writes come first. */
const USUAL_NAMES = {
  text: ['text', 'page_content', 'content', 'document', 'chunk', 'doc_content', 'text_segment', NODE_CONTENT],
  doc_id: [
    ...['doc_id', 'document_id', 'ref_doc_id', 'source_id', 'source'],
    ...['file_path', 'file_name', 'filename', 'path', 'url', 'uri'],
  ],
  doc_title: ['doc_title', 'document_title', 'title', 'file_name', 'filename', 'name', 'file_path'],
  section_path: ['section_path', 'header_path', 'headers', 'headings', 'section', 'heading'],
  header: ['header'],
  order_index: ['order_index', 'chunk_index', 'chunk_id', 'chunk_no', 'split_id', 'seq', 'sequence', 'position'],
  char_start: ['char_start', 'start_index', 'start_char_idx', `${NODE_CONTENT}.start_char_idx`],
  char_end: ['char_end', 'end_index', 'end_char_idx', `${NODE_CONTENT}.end_char_idx`],
}
type PayloadField = keyof typeof USUAL_NAMES

/** The fields that a mapping can name. */
export const PAYLOAD_FIELDS = Object.keys(USUAL_NAMES) as readonly PayloadField[]

/** A path of a payload and its parts, which are told apart once: each point of an answer is looked through for dozens of paths. */
interface UsualPath {
  path: string
  container: string | null
  name: string
}

/** Flat names of text come before nested ones. For other fields the order of the names decides first. */
const USUAL_PATHS = Object.fromEntries(
  PAYLOAD_FIELDS.map(field => {
    const names = USUAL_NAMES[field]
    const flat = names.map(name => pathIn(null, name))
    const nested = CONTAINERS.flatMap(container => names.map(name => pathIn(container, name)))
    const byName = names.flatMap(name => [null, ...CONTAINERS].map(container => pathIn(container, name)))
    return [field, field === 'text' ? [...flat, ...nested] : byName]
  }),
) as Record<PayloadField, UsualPath[]>

function pathIn(container: string | null, name: string): UsualPath {
  return { path: container === null ? name : `${container}.${name}`, container, name }
}

/** Dotted payload paths that replace the usual names of the fields. */
export type PayloadMapping = { readonly [Field in PayloadField]?: string }

/** UTF-16 units, about 30,000 tokens. Ranking a whole book that is stored as one point would block other requests. */
const LONGEST_TEXT = 128 * 1024
/** Longer than any context of a writer, in UTF-16 units. */
const LONGEST_CONTEXT = 8_000
/** Other texts are no ids of points; Qdrant refuses a request with one. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const SPLITTER_HEADERS = [1, 2, 3, 4, 5, 6].flatMap(level => [`Header ${level}`, `header_${level}`, `h${level}`])
/** For each place that such fields can be in. */
const SPLITTER_PATHS = [null, ...CONTAINERS].map(container => SPLITTER_HEADERS.map(name => pathIn(container, name)))

/**
 * Converts a point of any collection to a chunk. Fields are found under their usual names, flat or below `metadata` or `meta`,
 * or at the path in the mapping. What names the document is no text. Missing fields are '' or null; a missing document id is the id of the point. Text is cut to
 * 131,072 UTF-16 units. Never throws.
 */
export function readChunk(
  point: { id: PointId; payload?: unknown },
  collection: string,
  mapping: PayloadMapping = {},
): Chunk {
  const read = <T>(field: PayloadField, accept: (value: unknown, path: string) => T | null): T | null =>
    find(point.payload, field, mapping, accept)?.value ?? null
  const text = findText(point.payload, mapping)?.value ?? ''
  const isWhole = text.length <= LONGEST_TEXT
  const context = contextOf(point.payload)
  const docTitle = read('doc_title', asName) ?? ''
  const docId = read('doc_id', asName) ?? String(point.id)
  const names = docTitle === '' ? read('doc_id', asNames) : namesInPath(docTitle, docId)
  return {
    id: point.id,
    collection,
    docId,
    docTitle,
    ...names,
    sectionPath: read('section_path', sectionPathAt) ?? splitterHeaders(point.payload),
    header: read('header', asText) ?? '',
    orderIndex: read('order_index', asIndex),
    charStart: read('char_start', asIndex),
    charEnd: isWhole ? read('char_end', asIndex) : null,
    ...pageAndLines(point.payload),
    text: isWhole ? text : text.slice(0, LONGEST_TEXT).replace(/[\uD800-\uDBFF]$/, ''),
    ...(context === null ? {} : { context }),
    ...parentOf(point.payload),
  }
}

/** Whether a payload is one that `stowage ingest` has written. */
export function isOwn(payload: unknown): payload is Record<string, unknown> {
  return isObject(payload) && typeof payload.content_hash === 'string'
}

/** The parent that `stowage ingest` noted, together with its hash. Others may use the name `parent_id` for something else. */
function parentOf(payload: unknown): { parentId?: PointId } {
  if (!isOwn(payload)) return {}
  const { parent_id: parentId } = payload
  return typeof parentId === 'string' && UUID.test(parentId) ? { parentId } : {}
}

/** The context that stowage wrote for the chunk; null without one. Others may use the name for something else. */
function contextOf(payload: unknown): string | null {
  if (!isObject(payload) || typeof payload.context_version !== 'string') return null
  return asText(payload.context)?.slice(0, LONGEST_CONTEXT) ?? null
}

/** Whether a payload is that of a parent, which `stowage ingest` writes beside the chunks: no search is meant to find it. */
export function isParent(payload: unknown): boolean {
  return isObject(payload) && payload.is_parent === true
}

/** The path where `readChunk` finds the text, such as `page_content` or `metadata.text`; null when there is none. */
export function findTextField(payload: unknown, mapping: PayloadMapping = {}): string | null {
  return findText(payload, mapping)?.path ?? null
}

/** The path where `readChunk` finds the document id; null when there is none. */
export function findDocumentField(payload: unknown, mapping: PayloadMapping = {}): string | null {
  return find(payload, 'doc_id', mapping, asName)?.path ?? null
}

/** The path where `readChunk` finds the order index; null when there is none. */
export function findOrderField(payload: unknown, mapping: PayloadMapping = {}): string | null {
  return find(payload, 'order_index', mapping, asIndex)?.path ?? null
}

function findText(payload: unknown, mapping: PayloadMapping): { path: string; value: string } | null {
  const isText = (value: unknown, path: string) => {
    const text = asText(value)
    return text === null || (mapping.text === undefined && namesDocument(text, path, payload)) ? null : text
  }
  return find(payload, 'text', mapping, isText)
}

/** Fields that hold the text in some collections, and the name of its document in others. */
const TEXT_OR_NAME = /(?:^|\.)(?:content|document|chunk)$/u
/** In UTF-16 units. */
const LONGEST_NAME = 200
/** A path or an address, an id, or words that end with the extension of a file. */
const FILE_NAME = /^(?:\S*[/\\]\S*|[0-9a-f-]{8,}|[^\n]*\.[a-z][a-z0-9]{1,4})$/iu
/** A name is this many times shorter than the text that stands under a name that is not usual. */
const SHORTER_THAN_TEXT = 3

function namesDocument(value: string, path: string, payload: unknown): boolean {
  if (!TEXT_OR_NAME.test(path) || value.length > LONGEST_NAME || value.includes('\n')) return false
  return FILE_NAME.test(value.trim()) || longestText(payload) > Math.max(LONGEST_NAME, SHORTER_THAN_TEXT * value.length)
}

/**
 * Length of the longest text of a payload, flat or below `metadata` or `meta`. A context that stowage wrote does not count: what the field
 * of a text holds must be the same before and after.
 */
function longestText(payload: unknown): number {
  const levels = [payload, ...CONTAINERS.map(container => valueAt(payload, container))].filter(isObject)
  const context = contextOf(payload)
  const texts = levels
    .flatMap(level => Object.values(level))
    .filter(value => typeof value === 'string')
    .filter(text => text !== context)
  return Math.max(0, ...texts.map(text => text.length))
}

function find<T>(
  payload: unknown,
  field: PayloadField,
  mapping: PayloadMapping,
  accept: (value: unknown, path: string) => T | null,
): { path: string; value: T } | null {
  const mapped = mapping[field]
  if (mapped !== undefined) {
    const value = accept(valueAt(payload, mapped), mapped)
    return value === null ? null : { path: mapped, value }
  }
  for (const usual of USUAL_PATHS[field]) {
    const value = accept(usualValue(payload, usual), usual.path)
    if (value !== null) return { path: usual.path, value }
  }
  return null
}

/** What `valueAt` finds at the path. */
function usualValue(payload: unknown, { path, container, name }: UsualPath): unknown {
  if (!isObject(payload)) return undefined
  if (container === null || Object.hasOwn(payload, path)) return valueAt(payload, path)
  return Object.hasOwn(payload, container) ? valueAt(payload[container], name) : undefined
}

/** Markdown splitters write one field per heading level: "Header 1", "Header 2". */
function splitterHeaders(payload: unknown): string {
  for (const paths of SPLITTER_PATHS) {
    const found = paths.map(path => asText(usualValue(payload, path))).filter(header => header !== null)
    if (found.length > 0) return found.join(' > ')
  }
  return ''
}

const asText = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null)

function asName(value: unknown): string | null {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  return asText(value)
}

/** Of an untitled document; null when the value says nothing. */
function asNames(value: unknown): Pick<Chunk, 'pageName' | 'docName'> | null {
  const names = namesInPath('', asText(value) ?? '')
  return Object.keys(names).length === 0 ? null : names
}

/** An empty path that `stowage ingest` wrote says that there is no section: other names then hold something else. */
function sectionPathAt(value: unknown, path: string): string | null {
  return path === 'section_path' && value === '' ? '' : asSectionPath(value)
}

function asSectionPath(value: unknown): string | null {
  if (typeof value === 'string') {
    // LlamaIndex writes "/A/B/".
    const path = /^\/.*\/$/s.test(value) ? value.slice(1, -1).split('/').join(' > ') : value
    return asText(path)
  }
  const parts = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : []
  return asText(
    parts
      .map(asName)
      .filter(part => part !== null)
      .join(' > '),
  )
}

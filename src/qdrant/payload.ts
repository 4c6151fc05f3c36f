import type { Chunk, PointId } from '../core/types.ts'

/** The fields of a chunk that are read from the payload. */
export type PayloadField =
  | 'text'
  | 'doc_id'
  | 'doc_title'
  | 'section_path'
  | 'header'
  | 'order_index'
  | 'char_start'
  | 'char_end'

/** Where a foreign collection keeps its fields: dotted paths into the payload, read instead of the usual names. */
export type PayloadMapping = { readonly [Field in PayloadField]?: string }

const NODE_CONTENT = '_node_content'
const CONTAINERS = ['metadata', 'meta']

/** Names met in the wild for each field, our own first. */
const USUAL_NAMES: Record<PayloadField, readonly string[]> = {
  text: ['text', 'page_content', 'content', 'document', 'chunk', 'doc_content', 'text_segment', NODE_CONTENT],
  doc_id: [
    ...['doc_id', 'document_id', 'ref_doc_id', 'source_id', 'source'],
    ...['file_path', 'file_name', 'filename', 'path', 'url', 'uri'],
  ],
  doc_title: ['doc_title', 'document_title', 'title', 'file_name', 'filename', 'name'],
  section_path: ['section_path', 'header_path', 'headers', 'headings', 'section', 'heading'],
  header: ['header'],
  order_index: ['order_index', 'chunk_index', 'chunk_id', 'chunk_no', 'seq', 'sequence', 'position'],
  char_start: ['char_start', 'start_index', 'start_char_idx'],
  char_end: ['char_end', 'end_index', 'end_char_idx'],
}
/** UTF-16 units, some 30,000 tokens: no passage is longer, and ranking a whole book stored as one would hold up every other request. */
const LONGEST_TEXT = 128 * 1024
const SPLITTER_HEADERS = [1, 2, 3, 4, 5, 6].flatMap(level => [`Header ${level}`, `header_${level}`, `h${level}`])

/**
 * A point of any collection as a chunk. Own payloads are read as they were written; foreign ones by the usual names, flat
 * or under `metadata` or `meta`, unless the mapping names a path. What is missing is '' or null; the document id is then
 * the point's own. Of a text longer than 131,072 UTF-16 units only the beginning is read. Never throws, whatever the payload.
 */
export function readChunk(
  point: { id: PointId; payload?: unknown },
  collection: string,
  mapping: PayloadMapping = {},
): Chunk {
  const read = <T>(field: PayloadField, accept: (value: unknown) => T | null): T | null =>
    find(point.payload, field, mapping, accept)?.value ?? null
  const text = read('text', asText) ?? ''
  const isWhole = text.length <= LONGEST_TEXT
  return {
    id: point.id,
    collection,
    docId: read('doc_id', asName) ?? String(point.id),
    docTitle: read('doc_title', asName) ?? '',
    sectionPath: read('section_path', asSectionPath) ?? splitterHeaders(point.payload),
    header: read('header', asText) ?? '',
    orderIndex: read('order_index', asIndex),
    charStart: read('char_start', asIndex),
    charEnd: isWhole ? read('char_end', asIndex) : null,
    text: isWhole ? text : text.slice(0, LONGEST_TEXT).replace(/[\uD800-\uDBFF]$/, ''),
  }
}

/** The path at which the payload holds its text, such as `page_content` or `metadata.text`; null when it holds none. */
export function findTextField(payload: unknown, mapping: PayloadMapping = {}): string | null {
  return find(payload, 'text', mapping, asText)?.path ?? null
}

/** The path at which the payload names its document, as `readChunk` reads it; null when it names none. */
export function findDocumentField(payload: unknown, mapping: PayloadMapping = {}): string | null {
  return find(payload, 'doc_id', mapping, asName)?.path ?? null
}

/** The path at which the payload counts its chunks, as `readChunk` reads it; null when it does not. */
export function findOrderField(payload: unknown, mapping: PayloadMapping = {}): string | null {
  return find(payload, 'order_index', mapping, asIndex)?.path ?? null
}

function find<T>(
  payload: unknown,
  field: PayloadField,
  mapping: PayloadMapping,
  accept: (value: unknown) => T | null,
): { path: string; value: T } | null {
  const mapped = mapping[field]
  for (const path of mapped === undefined ? usualPaths(field) : [mapped]) {
    const value = accept(valueAt(payload, path))
    if (value !== null) return { path, value }
  }
  return null
}

/** Text is looked for flat before it is looked for in metadata; for the rest the better name wins wherever it stands. */
function* usualPaths(field: PayloadField): Generator<string> {
  const names = USUAL_NAMES[field]
  if (field === 'text') {
    yield* names
    for (const container of CONTAINERS) for (const name of names) yield `${container}.${name}`
  } else {
    for (const name of names)
      for (const container of ['', ...CONTAINERS]) yield container ? `${container}.${name}` : name
  }
}

/** The value at a path into the payload; undefined where there is none. */
export function valueAt(payload: unknown, path: string): unknown {
  if (!isRecord(payload)) return undefined
  if (Object.hasOwn(payload, path)) return path === NODE_CONTENT ? nodeText(payload[path]) : payload[path]
  const dot = path.indexOf('.')
  if (dot < 0) return undefined
  const outer = path.slice(0, dot)
  return Object.hasOwn(payload, outer) ? valueAt(payload[outer], path.slice(dot + 1)) : undefined
}

/** LlamaIndex stores a whole node as JSON in a string; its text is inside. */
function nodeText(node: unknown): unknown {
  if (typeof node !== 'string') return undefined
  try {
    return valueAt(JSON.parse(node), 'text')
  } catch {
    return undefined
  }
}

/** Markdown splitters write one field per heading level: "Header 1", "Header 2". */
function splitterHeaders(payload: unknown): string {
  for (const container of ['', ...CONTAINERS]) {
    const headers = SPLITTER_HEADERS.map(name => asText(valueAt(payload, container ? `${container}.${name}` : name)))
    const found = headers.filter(header => header !== null)
    if (found.length > 0) return found.join(' > ')
  }
  return ''
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const asText = (value: unknown): string | null => (typeof value === 'string' && value.trim() !== '' ? value : null)

function asName(value: unknown): string | null {
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return String(value)
  return asText(value)
}

function asIndex(value: unknown): number | null {
  const index = typeof value === 'bigint' ? Number(value) : value
  return typeof index === 'number' && Number.isSafeInteger(index) && index >= 0 ? index : null
}

function asSectionPath(value: unknown): string | null {
  if (typeof value === 'string') {
    // LlamaIndex writes "/A/B/".
    const path = /^\/.*\/$/s.test(value) ? value.slice(1, -1).split('/').join(' > ') : value
    return asText(path)
  }
  const parts = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []
  return asText(
    parts
      .map(asName)
      .filter(part => part !== null)
      .join(' > '),
  )
}

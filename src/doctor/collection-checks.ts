import type { CollectionLayout, DenseField } from '../ingest/target.ts'
import { documentFilter } from '../qdrant/documents-filter.ts'
import { isObject } from '../qdrant/json.ts'
import {
  findDocumentField,
  findOrderField,
  findTextField,
  type PayloadMapping,
  readChunk,
} from '../qdrant/payload/read-chunk.ts'
import { documentName } from '../rank/searched-text.ts'
import { counted, printable } from '../text/printable.ts'
import type { CollectionFacts, Seen, Setup } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'
import { checkLanguage } from './language-check.ts'

type Embedder = Setup['embedder']

/** Of the name of a document that is shown, in UTF-16 units. */
const LONGEST_NAME = 60

/** Checks vectors, keyword list and payload of one collection. */
export function checkCollection(
  seen: Seen<CollectionFacts>,
  { embedder, reranker, mappings, embedded }: Setup,
): Finding[] {
  if (seen.fault !== null) {
    const fix = 'Check the key (QDRANT_API_KEY or --api-key) and its rights on the collection.'
    return [fail('collection', seen.fault, fix)]
  }
  const { name, layout, samples } = seen.facts
  const ingest = `stowage ingest PATH --collection ${name}`
  if (layout === null) {
    const create = embedded
      ? `If it is in your Qdrant, set QDRANT_URL to its address. Else create and fill it in the folder EMBEDDED_PATH: ${ingest}`
      : `Create and fill it: ${ingest}`
    return [fail('collection', `${name} does not exist`, create)]
  }
  const mapping = mappings[name]
  const vectors = [checkDense(layout, embedder), checkKeyword(layout, ingest)]
  if (samples.length === 0) return [warn('collection', `${name} is empty`, `Fill it: ${ingest}`), ...vectors]
  return [
    ok('collection', `${name} holds ${counted(layout.points, 'point')}`),
    ...vectors,
    ...checkEmbedderVersion(samples, embedder, ingest),
    checkText(name, samples, mapping),
    checkNames(name, samples, mapping),
    ...checkLanguage(samples, { embedder, reranker }, mapping),
    checkNeighbours(name, samples, mapping),
    checkIndexes(name, layout, samples, mapping),
  ]
}

/** The model that most often made vectors of a size. Other models have these sizes too. */
const USUAL_MODELS: Readonly<Record<number, string>> = {
  1536: 'EMBEDDER=openai with EMBEDDING_MODEL=text-embedding-3-small (or text-embedding-ada-002)',
  3072: 'EMBEDDER=openai with EMBEDDING_MODEL=text-embedding-3-large',
}

/** What to do about a collection whose dense vectors, perhaps none, have not the size of the embedder's. */
export function denseRemedy(dense: Pick<DenseField, 'size'>[]): string {
  if (dense.length === 0) return 'Ingest into a new collection with an embedder.'
  return `${modelOfStored(dense)} Or ingest into a new collection.`
}

function modelOfStored(dense: Pick<DenseField, 'size'>[]): string {
  const usual = dense.flatMap(({ size }) => USUAL_MODELS[size] ?? [])[0]
  const guess = usual === undefined ? '' : ` Vectors of this size are often of ${usual}.`
  return `Set EMBEDDER and EMBEDDING_MODEL to the model of the stored vectors.${guess}`
}

function checkDense({ dense, sparse }: CollectionLayout, embedder: Embedder): Finding {
  const check = 'dense vectors'
  if (dense.length === 0) return warn(check, 'none: only the keyword list is searched', denseRemedy(dense))
  const fields = dense.map(({ name, size, distance }) => `${name || 'unnamed'} ${size} ${distance}`).join(', ')
  if (embedder === null) {
    const fix = `${modelOfStored(dense)} Or send \`vector\` with each request.`
    return sparse.some(({ idf }) => idf)
      ? warn(check, `${fields}; no embedder is loaded`, fix)
      : fail(check, `${fields}, and no other list; no embedder is loaded, so nothing can be found`, fix)
  }
  if (dense.some(field => field.size === embedder.dimensions)) return ok(check, fields)
  const sizes = dense.map(({ size }) => size).join(' and ')
  return fail(
    check,
    `${fields}; the collection has ${sizes} dimensions, the embedder of EMBEDDING_MODEL has ${embedder.dimensions}`,
    denseRemedy(dense),
  )
}

function checkKeyword({ sparse }: CollectionLayout, ingest: string): Finding {
  const withIdf = sparse.filter(field => field.idf).map(field => field.name)
  if (withIdf.length > 0) return ok('keyword vectors', `${withIdf.join(', ')}, with modifier idf`)
  const names = sparse.map(field => field.name).join(', ')
  return warn(
    'keyword vectors',
    `${names === '' ? 'no sparse vectors' : `${names} without modifier idf`}: BM25 ranks the dense hits only`,
    `Ingest into a new collection (${ingest}-2), or add a sparse vector with modifier idf.`,
  )
}

function checkEmbedderVersion(samples: unknown[], embedder: Embedder, ingest: string): Finding[] {
  const versions = [...new Set(samples.map(payload => fieldOf(payload, 'embedder_version')))].filter(
    version => typeof version === 'string',
  )
  if (versions.length === 0 || (versions.length === 1 && (embedder === null || versions[0] === embedder.version)))
    return []
  const own = embedder ? `; the embedder of queries is ${embedder.version}` : ''
  const detail = `the points have vectors of ${versions.join(' and ')}${own}`
  return [fail('embedder version', detail, `Ingest all documents again with one embedder: ${ingest}-2`)]
}

function checkText(collection: string, samples: unknown[], mapping: PayloadMapping | undefined): Finding {
  const found = samples.map(payload => findTextField(payload, mapping)).filter(field => field !== null)
  const names = [...new Set(found)].join(', ')
  const share = `in ${found.length} of ${samples.length} sampled points`
  if (found.length === samples.length) return ok('text', `found in the field ${names}`)
  const path = longestTextPath(samples)
  const fix =
    path === null
      ? 'Store the text of each chunk with its point; stowage can only pack what the payload holds.'
      : `Name the field with the text: ${mappingExample(collection, { text: path })}.`
  return found.length === 0
    ? fail('text', `found ${share}`, fix)
    : warn('text', `found in the field ${names} ${share}`, fix)
}

function checkNames(collection: string, samples: unknown[], mapping: PayloadMapping | undefined): Finding {
  const check = 'document names'
  const named = samples
    .map((payload, id) => readChunk({ id, payload }, collection, mapping))
    .filter(chunk => documentName(chunk) !== '')
  const share = named.length === samples.length ? '' : ` in ${named.length} of ${samples.length} sampled points`
  const [first] = named
  if (first !== undefined) {
    const kind = first.docTitle === '' ? 'the words of their id or path' : 'their title'
    return ok(check, `${kind}${share}, such as "${printable(documentName(first), LONGEST_NAME)}"`)
  }
  return warn(
    check,
    'no title, and ids that say nothing: nothing tells which document a chunk is of, if its text does not',
    `Store the title, the path or the address of the document with each point, or name its field: ${mappingExample(collection, { doc_title: 'FIELD' })}.`,
  )
}

function checkNeighbours(collection: string, samples: unknown[], mapping: PayloadMapping | undefined): Finding {
  const [document, order] = [findDocumentField, findOrderField].map(
    find => samples.map(payload => find(payload, mapping)).find(field => field !== null) ?? null,
  )
  if (document && order) return ok('neighbours', `found by the fields ${document} and ${order}`)
  const missing = { ...(!document && { doc_id: 'FIELD' }), ...(!order && { order_index: 'FIELD' }) }
  return warn(
    'neighbours',
    `no ${Object.keys(missing).join(' and no ')} in the payload: section reunification is left out`,
    `Name the fields that hold them: ${mappingExample(collection, missing)}. If there are none, leave this as it is.`,
  )
}

function mappingExample(collection: string, fields: Readonly<Record<string, string>>): string {
  return `MAPPINGS='${JSON.stringify({ [collection]: fields })}'`
}

/** The path with the longest strings, which is most likely the text; null when no payload holds a string. */
function longestTextPath(samples: unknown[]): string | null {
  const lengths = new Map<string, number>()
  const visit = (value: unknown, path: string) => {
    if (typeof value === 'string' && path !== '') lengths.set(path, (lengths.get(path) ?? 0) + value.length)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return
    for (const [key, inner] of Object.entries(value)) visit(inner, path === '' ? key : `${path}.${key}`)
  }
  for (const payload of samples) visit(payload, '')
  const longest = [...lengths].sort(([, left], [, right]) => right - left)[0]
  return longest === undefined ? null : longest[0]
}

const FILTERED = ['tenant', 'space_id', 'acl', 'lang', 'doc_id', 'order_index']

/** Fields in filters need an index: the own fields that occur, those by which neighbours are fetched, and the document id of a large collection. */
function checkIndexes(
  name: string,
  layout: CollectionLayout,
  samples: unknown[],
  mapping: PayloadMapping | undefined,
): Finding {
  const { indexes } = layout
  const occurring = FILTERED.filter(field => samples.some(payload => (fieldOf(payload, field) ?? null) !== null))
  const places = samples.flatMap(payload => {
    const order = findOrderField(payload, mapping)
    return order === null ? [] : [order, findDocumentField(payload, mapping) ?? order]
  })
  const documents = samples.flatMap(payload => {
    const document = findDocumentField(payload, mapping)
    return document !== null && documentFilter(document, layout) === null ? [document] : []
  })
  const missing = [...new Set([...occurring, ...places, ...documents])].filter(field => !Object.hasOwn(indexes, field))
  if (missing.length === 0) return ok('payload indexes', Object.keys(indexes).join(', ') || 'none needed')
  const unsearched = documents.length > 0 ? ', and documents that a question names are not searched once more' : ''
  return warn(
    'payload indexes',
    `none on ${missing.join(', ')}: filters on these fields scan the collection${unsearched}`,
    `For each field: PUT /collections/${name}/index {"field_name": …, "field_schema": "keyword"} ("integer" for an order).`,
  )
}

function fieldOf(payload: unknown, field: string): unknown {
  return isObject(payload) ? payload[field] : undefined
}

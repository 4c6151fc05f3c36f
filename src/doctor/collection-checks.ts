import type { CollectionLayout } from '../ingest/target.ts'
import { findDocumentField, findOrderField, findTextField } from '../qdrant/payload.ts'
import type { CollectionFacts, Seen, Setup } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

type Embedder = Setup['embedder']

/** Checks vectors, keyword list and payload of one collection. */
export function checkCollection(seen: Seen<CollectionFacts>, embedder: Embedder): Finding[] {
  if (seen.fault !== null) {
    const fix = 'Check the key (QDRANT_API_KEY or --api-key) and its rights on the collection.'
    return [fail('collection', seen.fault, fix)]
  }
  const { name, layout, samples } = seen.facts
  const ingest = `stowage ingest PATH --collection ${name}`
  if (layout === null) return [fail('collection', `${name} does not exist`, `Create and fill it: ${ingest}`)]
  const vectors = [checkDense(layout, embedder), checkKeyword(layout, ingest)]
  if (samples.length === 0) return [warn('collection', `${name} is empty`, `Fill it: ${ingest}`), ...vectors]
  return [
    ok('collection', `${name} holds ${layout.points} points`),
    ...vectors,
    ...checkEmbedderVersion(samples, embedder, ingest),
    checkText(samples, ingest),
    checkNeighbours(samples),
    checkIndexes(name, layout, samples),
  ]
}

function checkDense({ dense }: CollectionLayout, embedder: Embedder): Finding {
  const check = 'dense vectors'
  if (dense.length === 0)
    return warn(check, 'none: only the keyword list is searched', 'Ingest into a new collection with an embedder.')
  const fields = dense.map(({ name, size, distance }) => `${name || 'unnamed'} ${size} ${distance}`).join(', ')
  if (embedder === null)
    return warn(check, `${fields}; no embedder is loaded`, 'Set EMBEDDER, or send `vector` with each request.')
  if (dense.some(field => field.size === embedder.dimensions)) return ok(check, fields)
  return fail(
    check,
    `${fields}; the vectors of the embedder have ${embedder.dimensions} dimensions`,
    'Set EMBEDDER and EMBEDDING_MODEL to the model of the stored vectors, or ingest into a new collection.',
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

function checkText(samples: unknown[], ingest: string): Finding {
  const found = samples.map(payload => findTextField(payload)).filter(field => field !== null)
  const names = [...new Set(found)].join(', ')
  const share = `in ${found.length} of ${samples.length} sampled points`
  if (found.length === samples.length) return ok('text', `found in the field ${names}`)
  const keys = [...new Set(samples.flatMap(payload => Object.keys(payload ?? {})))].slice(0, 12).join(', ')
  const fix = `Rename the field with the text to \`text\`, or ingest the documents again: ${ingest}-2. Fields of the points: ${keys || 'none'}.`
  return found.length === 0
    ? fail('text', `found ${share}`, fix)
    : warn('text', `found in the field ${names} ${share}`, fix)
}

function checkNeighbours(samples: unknown[]): Finding {
  const placed = samples.find(payload => findDocumentField(payload) !== null && findOrderField(payload) !== null)
  if (placed !== undefined)
    return ok('neighbours', `found by the fields ${findDocumentField(placed)} and ${findOrderField(placed)}`)
  const detail = 'no document id with an order: section reunification is not possible'
  return warn('neighbours', detail, 'Store `doc_id` and `order_index` with every point.')
}

const FILTERED = ['tenant', 'space_id', 'acl', 'lang', 'doc_id', 'order_index']

/** Fields in filters need an index: the own fields that occur, and the fields by which neighbours are fetched. */
function checkIndexes(name: string, { indexes }: CollectionLayout, samples: unknown[]): Finding {
  const occurring = FILTERED.filter(field => samples.some(payload => (fieldOf(payload, field) ?? null) !== null))
  const places = samples.flatMap(payload => {
    const order = findOrderField(payload)
    return order === null ? [] : [order, findDocumentField(payload) ?? order]
  })
  const missing = [...new Set([...occurring, ...places])].filter(field => !(field in indexes))
  if (missing.length === 0) return ok('payload indexes', Object.keys(indexes).join(', ') || 'none needed')
  return warn(
    'payload indexes',
    `none on ${missing.join(', ')}: filters on these fields scan the collection`,
    `For each field: PUT /collections/${name}/index {"field_name": …, "field_schema": "keyword"} ("integer" for an order).`,
  )
}

function fieldOf(payload: unknown, field: string): unknown {
  return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>)[field] : undefined
}

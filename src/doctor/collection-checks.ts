import type { CollectionLayout } from '../ingest/target.ts'
import { findDocumentField, findOrderField, findTextField } from '../qdrant/payload.ts'
import type { CollectionFacts, Seen, Setup } from './facts.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

type Embedder = Setup['embedder']

/** The checks of one collection: vectors, keyword list, payload. */
export function checkCollection(seen: Seen<CollectionFacts>, embedder: Embedder): Finding[] {
  if (seen.fault !== null) {
    return [
      fail('collection', seen.fault, 'Check the key (QDRANT_API_KEY or --api-key) and its rights on the collection.'),
    ]
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
  const fields = dense
    .map(({ name, size, distance }) => `${name === '' ? 'unnamed' : name} ${size} ${distance}`)
    .join(', ')
  if (dense.length === 0) {
    return warn('dense vectors', 'none: only keywords are searched', 'Ingest with an embedder into a new collection.')
  }
  if (embedder === null) {
    return warn('dense vectors', `${fields}; no embedder here`, 'Set EMBEDDER, or send `vector` with each request.')
  }
  return dense.some(field => field.size === embedder.dimensions)
    ? ok('dense vectors', fields)
    : fail(
        'dense vectors',
        `${fields}; the embedder makes ${embedder.dimensions} dimensions`,
        'Set EMBEDDER and EMBEDDING_MODEL to the model that made the vectors, or ingest into a new collection.',
      )
}

function checkKeyword({ sparse }: CollectionLayout, ingest: string): Finding {
  const weighed = sparse.filter(field => field.idf).map(field => field.name)
  if (weighed.length > 0) return ok('keyword vectors', `${weighed.join(', ')}, weighed by idf`)
  const names = sparse.map(field => field.name).join(', ')
  const detail = names === '' ? 'no sparse vectors' : `${names} without modifier idf`
  return warn(
    'keyword vectors',
    `${detail}: BM25 is counted among the dense hits only`,
    `Ingest into a new collection (${ingest}-2), or add a sparse vector with modifier idf.`,
  )
}

function checkEmbedderVersion(samples: unknown[], embedder: Embedder, ingest: string): Finding[] {
  const versions = [...new Set(samples.map(payload => fieldOf(payload, 'embedder_version')))].filter(
    version => typeof version === 'string',
  )
  if (versions.length === 0 || (versions.length === 1 && (embedder === null || versions[0] === embedder.version)))
    return []
  const detail = `the points were embedded by ${versions.join(' and ')}`
  const own = embedder ? `, queries are by ${embedder.version}` : ''
  return [fail('embedder version', detail + own, `Ingest all documents again with one embedder: ${ingest}-2`)]
}

function checkText(samples: unknown[], ingest: string): Finding {
  const fields = samples.map(payload => findTextField(payload))
  const found = fields.filter(field => field !== null)
  const names = [...new Set(found)].join(', ')
  const share = `in ${found.length} of ${samples.length} sampled points`
  if (found.length === samples.length) return ok('text', `found under ${names}`)
  const keys = [...new Set(samples.flatMap(payload => Object.keys(payload ?? {})))].slice(0, 12).join(', ')
  const fix = `Rename the field that holds the text to \`text\`, or ingest the documents again: ${ingest}-2. Fields seen: ${keys || 'none'}.`
  return found.length === 0 ? fail('text', `found ${share}`, fix) : warn('text', `found under ${names} ${share}`, fix)
}

function checkNeighbours(samples: unknown[]): Finding {
  const placed = samples.filter(payload => findDocumentField(payload) !== null && findOrderField(payload) !== null)
  return placed.length > 0
    ? ok('neighbours', `${findDocumentField(placed[0])} and ${findOrderField(placed[0])} place a chunk in its document`)
    : warn(
        'neighbours',
        'no document id with an order: sections cannot be put together again',
        'Store `doc_id` and `order_index` with every point.',
      )
}

const FILTERED = ['tenant', 'space_id', 'acl', 'lang', 'doc_id', 'order_index']

/** An index is wanted on what filters name: our own fields where they occur, and what neighbours are fetched by. */
function checkIndexes(name: string, { indexes }: CollectionLayout, samples: unknown[]): Finding {
  const occurring = FILTERED.filter(field => samples.some(payload => (fieldOf(payload, field) ?? null) !== null))
  const places = samples.flatMap(payload => {
    const order = findOrderField(payload)
    return order === null ? [] : [order, findDocumentField(payload) ?? order]
  })
  const missing = [...new Set([...occurring, ...places])].filter(field => !(field in indexes))
  return missing.length === 0
    ? ok('payload indexes', Object.keys(indexes).join(', ') || 'none needed')
    : warn(
        'payload indexes',
        `none on ${missing.join(', ')}: filters on them scan the collection`,
        `For each: PUT /collections/${name}/index {"field_name": …, "field_schema": "keyword"} ("integer" for an order).`,
      )
}

function fieldOf(payload: unknown, field: string): unknown {
  return typeof payload === 'object' && payload !== null ? (payload as Record<string, unknown>)[field] : undefined
}

import { DEFAULT_QUERY_LIMIT, MOST_DIMENSIONS } from '../../qdrant/points.ts'
import { elements, kindOf, members, present } from '../../qdrant/raw-json.ts'
import { knownMembers, notUnderstood, onlyKeys, type RawObject, readInteger, readRaw, required } from './fields.ts'

/** Searches with a larger limit pass through. */
export const LARGEST_LIMIT = 1000

/** One nearest-neighbour search: a prefetch, or a whole request. All strings but `text` are raw JSON. */
export interface Prefetch {
  query: string
  /** The kind of the query vector, or of the vectors that the model of an inference object makes. */
  kind: 'dense' | 'keyword'
  /** Text of an inference object. */
  text: string | null
  using: string | null
  /** Filter of this prefetch; null when it has none. */
  filter: string | null
  params: string | null
  scoreThreshold: string | null
  limit: number
}

/** Reads the search of a prefetch or of a request without prefetches. @throws RawJsonError */
export function readPrefetch(object: RawObject): Prefetch {
  const query = required(object, 'query')
  return { ...readNearest(query), query, using: readRaw(object, 'using', 'string'), ...readBounds(object) }
}

/** Reads a legacy search. Its `vector` is a list of numbers or `{name, vector}`. @throws RawJsonError */
export function readLegacySearchVector(object: RawObject): Prefetch {
  const vector = required(object, 'vector')
  if (kindOf(vector) === 'array') return { ...readVector(vector), query: vector, using: null, ...readBounds(object) }
  const named = knownMembers(vector, ['name', 'vector'])
  const query = required(named, 'vector')
  const input = readVector(query)
  return {
    ...input,
    query,
    using: readRaw(named, 'name', 'string') ?? notUnderstood('name is missing'),
    ...readBounds(object),
  }
}

/** The raw filter; null when it is absent or `{}`. */
export function readFilter(object: RawObject): string | null {
  const raw = readRaw(object, 'filter', 'object')
  return raw === null || members(raw).size === 0 ? null : raw
}

function readBounds(object: RawObject): Pick<Prefetch, 'filter' | 'params' | 'scoreThreshold' | 'limit'> {
  return {
    filter: readFilter(object),
    params: readRaw(object, 'params', 'object'),
    scoreThreshold: readRaw(object, 'score_threshold', 'number'),
    limit: readInteger(object, 'limit', 1, LARGEST_LIMIT) ?? DEFAULT_QUERY_LIMIT,
  }
}

type VectorInput = Pick<Prefetch, 'kind' | 'text'>

function readNearest(raw: string): VectorInput {
  if (kindOf(raw) !== 'object') return readVector(raw)
  const object = members(raw)
  if (object.has('text')) return readDocument(object)
  if (!object.has('nearest')) return readVector(raw)
  onlyKeys(object.keys(), ['nearest', 'mmr'])
  if (present(object, 'mmr') !== null) return notUnderstood('mmr')
  const nearest = required(object, 'nearest')
  return kindOf(nearest) === 'object' && members(nearest).has('text')
    ? readDocument(members(nearest))
    : readVector(nearest)
}

function readVector(raw: string): VectorInput {
  if (kindOf(raw) === 'array') {
    const dense = elements(raw, MOST_DIMENSIONS)
    if (dense.length === 0 || dense.some(value => kindOf(value) !== 'number'))
      return notUnderstood('not a dense vector')
    return { kind: 'dense', text: null }
  }
  if (kindOf(raw) !== 'object') return notUnderstood('a query by id')
  const sparse = knownMembers(raw, ['indices', 'values'])
  for (const key of ['indices', 'values'])
    if (kindOf(required(sparse, key)) !== 'array') notUnderstood(`${key} is not an array`)
  return { kind: 'keyword', text: null }
}

/** Names of models that make sparse vectors. */
const SPARSE_MODEL = /bm25|bm42|splade|sparse/i

function readDocument(object: RawObject): VectorInput {
  onlyKeys(object.keys(), ['text', 'model', 'options'])
  const text = readRaw(object, 'text', 'string') ?? notUnderstood('text is missing')
  const model = readRaw(object, 'model', 'string') ?? notUnderstood('model is missing')
  return { kind: SPARSE_MODEL.test(model) ? 'keyword' : 'dense', text: JSON.parse(text) }
}

import type { Engine } from './engine.ts'
import { notFound, unsupported } from './errors.ts'
import {
  collectionInfo,
  countPoints,
  facetValues,
  getPoint,
  queryGroups,
  queryPoints,
  retrievePoints,
  scrollPoints,
  searchPoints,
} from './reads.ts'
import { readPointIdText } from './wire/point-id.ts'
import { readList, readRecord } from './wire/shape.ts'

/** One request, decoded: path segments without the leading slash, body parsed (undefined when there was none). */
export interface RouteRequest {
  method: string
  segments: string[]
  search: URLSearchParams
  body: unknown
}

type Handler = (engine: Engine, collection: string, request: RouteRequest) => unknown

/** Routes under `/collections/{c}`, by method and the rest of the path; each gives the `result` of the envelope. */
const COLLECTION_ROUTES: { [route: string]: Handler } = {
  'GET ': (engine, name) => collectionInfo(engine.collection(name)),
  'PUT ': (engine, name, { body }) => {
    engine.createCollection(name, body ?? {})
    return true
  },
  'DELETE ': (engine, name) => engine.deleteCollection(name),
  'GET exists': (engine, name) => ({ exists: engine.has(name) }),
  'GET aliases': () => ({ aliases: [] }),
  'PUT points': update('upsert'),
  'POST points': (engine, name, { body }) => retrievePoints(engine.collection(name), body),
  'POST points/delete': update('delete'),
  'POST points/payload': update('set_payload'),
  'PUT points/payload': update('overwrite_payload'),
  'POST points/payload/delete': update('delete_payload'),
  'POST points/payload/clear': update('clear_payload'),
  'PUT points/vectors': update('update_vectors'),
  'POST points/vectors/delete': update('delete_vectors'),
  'PUT index': update('create_index'),
  'POST points/batch': (engine, name, { body, search }) =>
    engine.updateBatch(name, body).map(operation => updateResult(operation, search)),
  'POST points/scroll': (engine, name, { body }) => scrollPoints(engine.collection(name), body),
  'POST points/count': (engine, name, { body }) => countPoints(engine.collection(name), body ?? {}),
  'POST points/query': (engine, name, { body }) => queryPoints(engine.collection(name), body, lookup(engine)),
  'POST points/query/batch': (engine, name, { body }) =>
    searches(body).map(search => queryPoints(engine.collection(name), search, lookup(engine))),
  'POST points/query/groups': (engine, name, { body }) => queryGroups(engine.collection(name), body, lookup(engine)),
  'POST points/search': (engine, name, { body }) => searchPoints(engine.collection(name), body, lookup(engine)),
  'POST points/search/batch': (engine, name, { body }) =>
    searches(body).map(search => searchPoints(engine.collection(name), search, lookup(engine))),
  'POST facet': (engine, name, { body }) => facetValues(engine.collection(name), body),
}

/** Qdrant's own roots that exist there and not here. */
const SERVER_ROOTS = new Set(['cluster', 'snapshots', 'telemetry', 'metrics', 'issues', 'quotas', 'dashboard', 'audit'])

/** Gives the `result` for a request, or undefined for a path that Qdrant does not have either. */
export function route(engine: Engine, request: RouteRequest): unknown {
  const { method, segments, search } = request
  const [root, name, ...rest] = segments
  if (root === 'aliases' && method === 'GET') return { aliases: [] }
  if (root !== undefined && SERVER_ROOTS.has(root)) throw unsupported(`/${root}`)
  if (root !== 'collections') return undefined
  if (name === undefined) return method === 'GET' ? { collections: engine.names().map(name => ({ name })) } : undefined
  const handler = COLLECTION_ROUTES[`${method} ${rest.join('/')}`]
  if (handler !== undefined) return handler(engine, name, request)
  if (method === 'GET' && rest.length === 2 && rest[0] === 'points') {
    return getPoint(engine.collection(name), readPointIdText(rest[1] ?? ''))
  }
  if (method === 'DELETE' && rest.length === 2 && rest[0] === 'index') {
    return updateResult(engine.update(name, 'delete_index', { field_name: rest[1] }), search)
  }
  throw unsupported(`${method} /${segments.join('/')}`)
}

function update(kind: string): Handler {
  return (engine, name, { body, search }) => updateResult(engine.update(name, kind, body), search)
}

/** Writes are done before the answer either way; without `wait` Qdrant only acknowledges them. */
function updateResult(operation_id: number, search: URLSearchParams) {
  return { operation_id, status: search.get('wait') === 'true' ? 'completed' : 'acknowledged' }
}

function searches(body: unknown): unknown[] {
  return readList(readRecord(body, 'batch').searches, 'searches')
}

function lookup(engine: Engine) {
  return (name: string) => {
    if (!engine.has(name)) throw notFound(`Collection ${name} not found`)
    return engine.collection(name)
  }
}

import type { Engine } from './engine.ts'
import { unsupported } from './errors.ts'
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
import type { Collection } from './storage/collection.ts'
import { readPointIdText } from './wire/point-id.ts'
import { readList, readRecord } from './wire/shape.ts'

/** One request, decoded: path segments without the leading slash, body parsed (undefined when there was none). */
export interface RouteRequest {
  method: string
  segments: string[]
  search: URLSearchParams
  body: unknown
}

type Handler = (engine: Engine, collection: string, request: RouteRequest & { last: string }) => unknown

/** Routes under `/collections/{c}`, by method and the rest of the path, `*` for a last part of any name; each gives the `result` of the envelope. */
export const COLLECTION_ROUTES: { readonly [route: string]: Handler } = {
  'GET ': read(collectionInfo),
  'PUT ': (engine, name, { body }) => {
    engine.createCollection(name, body ?? {})
    return true
  },
  'DELETE ': (engine, name) => engine.deleteCollection(name),
  'GET exists': (engine, name) => ({ exists: engine.has(name) }),
  'GET aliases': () => ({ aliases: [] }),
  'PUT points': update('upsert'),
  'POST points': read(retrievePoints),
  'GET points/*': (engine, name, { last }) => getPoint(engine.collection(name), readPointIdText(last)),
  'POST points/delete': update('delete'),
  'POST points/payload': update('set_payload'),
  'PUT points/payload': update('overwrite_payload'),
  'POST points/payload/delete': update('delete_payload'),
  'POST points/payload/clear': update('clear_payload'),
  'PUT points/vectors': update('update_vectors'),
  'POST points/vectors/delete': update('delete_vectors'),
  'PUT index': update('create_index'),
  'DELETE index/*': (engine, name, request) =>
    update('delete_index')(engine, name, { ...request, body: { field_name: request.last } }),
  'POST points/batch': (engine, name, { body, search }) =>
    engine.updateBatch(name, body).map(operation => updateResult(operation, search)),
  'POST points/scroll': read(scrollPoints),
  'POST points/count': read((collection, body) => countPoints(collection, body ?? {})),
  'POST points/query': read(queryPoints),
  'POST points/query/batch': read((collection, body) => searches(body).map(search => queryPoints(collection, search))),
  'POST points/query/groups': read(queryGroups),
  'POST points/search': read(searchPoints),
  'POST points/search/batch': read((collection, body) =>
    searches(body).map(search => searchPoints(collection, search)),
  ),
  'POST facet': read(facetValues),
}

/** Qdrant's own roots that exist there and not here. */
const SERVER_ROOTS = new Set(['cluster', 'snapshots', 'telemetry', 'metrics', 'issues', 'quotas', 'dashboard', 'audit'])

/** Gives the `result` for a request, or undefined for a path that Qdrant does not have either. */
export function route(engine: Engine, request: RouteRequest): unknown {
  const { method, segments } = request
  const [root, name, ...rest] = segments
  if (root === 'aliases' && method === 'GET') return { aliases: [] }
  if (root !== undefined && SERVER_ROOTS.has(root)) throw unsupported(`/${root}`)
  if (root !== 'collections') return undefined
  if (name === undefined) return method === 'GET' ? { collections: engine.names().map(name => ({ name })) } : undefined
  const path = rest.join('/')
  const handler =
    COLLECTION_ROUTES[`${method} ${path}`] ?? COLLECTION_ROUTES[`${method} ${path.replace(/[^/]+$/, '*')}`]
  if (handler === undefined) throw unsupported(`${method} /${segments.join('/')}`)
  return handler(engine, name, { ...request, last: rest.at(-1) ?? '' })
}

function read(answer: (collection: Collection, body: unknown) => unknown): Handler {
  return (engine, name, { body }) => answer(engine.collection(name), body)
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

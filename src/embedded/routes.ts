import type { Engine } from './engine.ts'
import { unsupported } from './errors.ts'
import {
  collectionInfo,
  countPoints,
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

export interface RouteRequest {
  method: string
  /** Decoded parts of the path. */
  segments: string[]
  search: URLSearchParams
  /** The parsed body; undefined when it is empty. */
  body: unknown
}

type Handler = (engine: Engine, collection: string, request: RouteRequest & { last: string }) => unknown

/** Routes below `/collections/{collection}`: method and rest of the path, with `*` for a last part of any name. Each returns `result`. */
export const COLLECTION_ROUTES: { readonly [route: string]: Handler } = {
  'GET ': read(collectionInfo),
  'PUT ': (engine, name, { body }) => {
    engine.createCollection(name, body ?? {})
    return true
  },
  'DELETE ': (engine, name) => engine.deleteCollection(name),
  'GET exists': (engine, name) => ({ exists: engine.collections.has(name) }),
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
  'POST points/query/batch': readBatch(queryPoints),
  'POST points/query/groups': read(queryGroups),
  'POST points/search': read(searchPoints),
  'POST points/search/batch': readBatch(searchPoints),
}

/** Roots of Qdrant's paths that this engine does not have. */
const SERVER_ROOTS = new Set(['cluster', 'snapshots', 'telemetry', 'metrics', 'issues', 'quotas', 'dashboard', 'audit'])

/** Returns the `result` of a request, or undefined for a path that is not Qdrant's. */
export function route(engine: Engine, request: RouteRequest): unknown {
  const { method, segments } = request
  const [root, name, ...rest] = segments
  if (root === 'aliases' && method === 'GET') return { aliases: [] }
  if (root !== undefined && SERVER_ROOTS.has(root)) throw unsupported(`/${root}`)
  if (root !== 'collections' || (name === undefined && method !== 'GET')) return undefined
  if (name === undefined) return { collections: [...engine.collections.keys()].map(name => ({ name })) }
  const path = `${method} ${rest.join('/')}`
  const handler = COLLECTION_ROUTES[path] ?? COLLECTION_ROUTES[path.replace(/[^/]+$/, '*')]
  if (handler === undefined) throw unsupported(`${method} /${segments.join('/')}`)
  return handler(engine, name, { ...request, last: rest.at(-1) ?? '' })
}

type Read = (collection: Collection, body: unknown) => unknown

function read(answer: Read): Handler {
  return (engine, name, { body }) => answer(engine.collection(name), body)
}

function readBatch(answer: Read): Handler {
  return read((collection, body) =>
    readList(readRecord(body, 'batch').searches, 'searches').map(search => answer(collection, search)),
  )
}

function update(kind: string): Handler {
  return (engine, name, { body, search }) => updateResult(engine.update(name, kind, body), search)
}

/** The write is done in both cases; without `wait` Qdrant only acknowledges it. */
function updateResult(operation_id: number, search: URLSearchParams) {
  return { operation_id, status: search.get('wait') === 'true' ? 'completed' : 'acknowledged' }
}

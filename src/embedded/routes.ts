import { listedAliases } from './aliases.ts'
import type { Engine } from './engine.ts'
import { unsupported } from './errors.ts'
import type { Pace } from './pace.ts'
import { collectionInfo } from './reads/collection-info.ts'
import { countPoints, getPoint, type Read, retrievePoints, scrollPoints } from './reads/points.ts'
import {
  queryGroups,
  queryPoints,
  recommendGroups,
  recommendPoints,
  searchGroups,
  searchPoints,
} from './reads/search.ts'
import { readPointIdText } from './wire/point-id.ts'
import { readBoundedList, readRecord } from './wire/shape.ts'

interface RouteRequest {
  method: string
  /** Decoded parts of the path. */
  segments: string[]
  search: URLSearchParams
  /** The parsed body; undefined when it is empty. */
  body: unknown
  pace: Pace
}

/** Searches of one batch. */
export const MAXIMUM_SEARCHES = 1000

type Handler = (engine: Engine, collection: string, request: RouteRequest & { last: string }) => unknown

/** Routes below `/collections/{collection}`: method and rest of the path, with `*` for a last part of any name. Each returns `result`. */
export const COLLECTION_ROUTES: { readonly [route: string]: Handler } = {
  'GET ': read(collectionInfo),
  'PUT ': async (engine, name, { body }) => {
    await engine.createCollection(name, body ?? {})
    return true
  },
  'DELETE ': (engine, name) => engine.deleteCollection(name),
  'PATCH ': async (engine, name, { body }) => {
    await engine.updateCollection(name, body)
    return true
  },
  'GET exists': (engine, name) => ({ exists: engine.collections.has(engine.resolve(name)) }),
  'GET aliases': (engine, name) => {
    engine.collection(name)
    return listedAliases(engine.aliases, engine.resolve(name))
  },
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
  'POST points/batch': async (engine, name, { body, search, pace }) =>
    (await engine.updateBatch(name, body, pace)).map(operation => updateResult(operation, search)),
  'POST points/scroll': read(scrollPoints),
  'POST points/count': read((collection, body, pace) => countPoints(collection, body ?? {}, pace)),
  'POST points/query': read(queryPoints),
  'POST points/query/batch': readBatch(queryPoints),
  'POST points/query/groups': read(queryGroups),
  'POST points/search': read(searchPoints),
  'POST points/search/batch': readBatch(searchPoints),
  'POST points/search/groups': read(searchGroups),
  'POST points/recommend': read(recommendPoints),
  'POST points/recommend/batch': readBatch(recommendPoints),
  'POST points/recommend/groups': read(recommendGroups),
}

/** Roots of Qdrant's paths that this engine does not have. */
const SERVER_ROOTS = new Set(['cluster', 'snapshots', 'telemetry', 'metrics', 'issues', 'quotas', 'dashboard', 'audit'])

/** Returns the `result` of a request, or undefined for a path that is not Qdrant's. */
export async function route(engine: Engine, request: RouteRequest): Promise<unknown> {
  const { method, segments } = request
  const [root, name, ...rest] = segments
  if (root === 'aliases' && method === 'GET') return listedAliases(engine.aliases)
  if (method === 'POST' && root === 'collections' && name === 'aliases' && rest.length === 0) {
    await engine.updateAliases(request.body)
    return true
  }
  if (root !== undefined && SERVER_ROOTS.has(root)) throw unsupported(`/${root}`)
  if (root !== 'collections' || (name === undefined && method !== 'GET')) return undefined
  if (name === undefined) return { collections: [...engine.collections.keys()].map(name => ({ name })) }
  const path = `${method} ${rest.join('/')}`
  const handler = COLLECTION_ROUTES[path] ?? COLLECTION_ROUTES[path.replace(/[^/]+$/, '*')]
  if (handler === undefined) throw unsupported(`${method} /${segments.join('/')}`)
  return handler(engine, name, { ...request, last: rest.at(-1) ?? '' })
}

function read(answer: Read): Handler {
  return (engine, name, { body, pace }) => answer(engine.collection(name), body, pace)
}

function readBatch(answer: Read): Handler {
  return read(async (collection, body, pace) => {
    const answers: unknown[] = []
    for (const search of readBoundedList(readRecord(body, 'batch').searches, 'searches', MAXIMUM_SEARCHES)) {
      answers.push(await answer(collection, search, pace))
    }
    return answers
  })
}

function update(kind: string): Handler {
  return async (engine, name, { body, search, pace }) =>
    updateResult(await engine.update(name, kind, body, pace), search)
}

/** The write is done in both cases; without `wait` Qdrant only acknowledges it. */
function updateResult(operation_id: number, search: URLSearchParams) {
  return { operation_id, status: search.get('wait') === 'true' ? 'completed' : 'acknowledged' }
}

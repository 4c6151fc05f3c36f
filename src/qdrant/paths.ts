/** Paths of Qdrant's REST API. Request targets are read raw, without decoding. */

const READING_POSTS =
  /^(?:facet|points(?:\/(?:scroll|count|(?:query|search|recommend|discover)(?:\/(?:batch|groups))?|search\/matrix\/(?:pairs|offsets)))?)$/

/** Paths of the searches that the drop-in route can improve, without the query string. Qdrant allows a trailing slash. */
export const SEARCH_PATH = /^\/collections\/[^/?#]+\/points\/(?:query|search)(?:\/batch)?\/?$/

/** The parameters of a path that say how a cluster answers a read. */
export const READ_PARAMETERS = ['consistency', 'timeout']

interface CollectionPath {
  /** Decoded name; the raw name when its encoding is broken. */
  collection: string
  /** The path below the collection without outer slashes; '' for the collection itself. */
  rest: string
}

/** `/points/query` or the older `/points/search`, single or as a batch. */
export interface SearchRoute {
  api: 'query' | 'search'
  batch: boolean
}

/** A parsed request target of a search. */
export interface SearchTarget extends SearchRoute {
  /** Decoded name. */
  collection: string
  /** The name as the client spelt it in the path. */
  segment: string
  /** With its `?`, or ''. */
  queryString: string
}

/** Longest name of a collection, in UTF-16 code units; Qdrant counts bytes of UTF-8, so its own limit can be lower. */
export const LONGEST_COLLECTION_NAME = 255

/** Qdrant refuses these in names of collections. It refuses `*`, too, which is left out because patterns of names have it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what Qdrant refuses
export const NEVER_IN_COLLECTION_NAMES = /[<>:"/\\|?\u0000\u001f]/u

/**
 * Whether a text can be a part of a path of Qdrant and lead to no other path, also behind a proxy that decodes `%2F`. `.` and `..` and a
 * slash could, and half of a surrogate pair cannot be encoded.
 */
export function isPathPart(name: string): boolean {
  return !/[/\\]|^\.{1,2}$/u.test(name) && name.isWellFormed()
}

/** Whether Qdrant can have a collection of this name. */
export function canBeCollection(name: string): boolean {
  return isPathPart(name) && !NEVER_IN_COLLECTION_NAMES.test(name)
}

/** The path of a collection, or of a route below it such as `points/query`. */
export function collectionPath(collection: string, rest = ''): string {
  return `/collections/${encodeURIComponent(collection)}${rest === '' ? '' : `/${rest}`}`
}

/** The path of a server URL without its trailing slash. It precedes every API path. */
export function pathPrefix({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

/** Parses a request target below `/collections/{name}`; null for other paths. Like Qdrant, it takes several slashes as one. */
export function readCollectionPath(requestTarget: string): CollectionPath | null {
  // Qdrant accepts `http://host/path` as well as `/path`.
  const target = requestTarget.startsWith('/') ? requestTarget : requestTarget.replace(/^https?:\/\/[^/?#]*/i, '')
  const [path = ''] = target.split(/[?#]/, 1)
  const [root, name, ...rest] = path.split('/').filter(part => part !== '')
  if (name === undefined || plain(root) !== 'collections') return null
  return { collection: plain(name), rest: rest.map(plain).join('/') }
}

/** Decoded; the raw part when its encoding is broken. */
function plain(part = ''): string {
  return part.includes('%') ? (decode(part) ?? part) : part
}

/** The routes that write whole points. */
export type UpsertRoute = 'upsert' | 'batch'

/** The collection and route of a request that may write whole points; null for all others. */
export function readUpsertTarget(
  method: string,
  requestTarget: string,
): { collection: string; route: UpsertRoute } | null {
  if (method !== 'PUT' && method !== 'POST') return null
  const path = readCollectionPath(requestTarget)
  if (path === null) return null
  if (method === 'PUT' && path.rest === 'points') return { collection: path.collection, route: 'upsert' }
  if (method === 'POST' && path.rest === 'points/batch') return { collection: path.collection, route: 'batch' }
  return null
}

/** Parses the request target of a search; null when it does not match `SEARCH_PATH` or the encoding of the name is broken. */
export function readSearchTarget(requestTarget: string): SearchTarget | null {
  const [, path = '', queryString = ''] = /^([^?#]*)(\?[^#]*)?$/.exec(requestTarget) ?? []
  if (!SEARCH_PATH.test(path)) return null
  const [, , name = '', , api, batch] = path.split('/')
  const collection = decode(name)
  if (collection === null) return null
  return { collection, segment: name, api: api === 'query' ? 'query' : 'search', batch: batch === 'batch', queryString }
}

/** Whether a request only reads and can safely be repeated: GET, HEAD, OPTIONS, and the POST routes that read points. */
export function isRead(method: string, requestTarget: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true
  if (method !== 'POST') return false
  const path = readCollectionPath(requestTarget)
  return path !== null && READING_POSTS.test(path.rest)
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

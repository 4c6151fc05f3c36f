/** Paths of Qdrant's REST API. What is read is raw: a request target, undecoded. */

const COLLECTION = /^\/collections\/([^/?#]+)(?:\/([^?#]*))?/
const READING_POSTS =
  /^(?:facet|points(?:\/(?:scroll|count|(?:query|search|recommend|discover)(?:\/(?:batch|groups))?|search\/matrix\/(?:pairs|offsets)))?)$/

/**
 * The searches that the drop-in route may improve: paths without a query string, a slash at the end as Qdrant allows it.
 * The pattern captures nothing, because Express would decode what it captures.
 */
export const SEARCH_PATH = /^\/collections\/[^/?#]+\/points\/(?:query|search)(?:\/batch)?\/?$/

export interface CollectionPath {
  /** Decoded name; as it stands where the encoding is broken. */
  collection: string
  /** What follows the name, without slashes at its ends; '' for the collection itself. */
  rest: string
}

/** `/points/query` or the older `/points/search`, single or as a batch. */
export interface SearchRoute {
  api: 'query' | 'search'
  batch: boolean
}

/** Where a search is addressed. */
export interface SearchTarget extends SearchRoute {
  collection: string
  /** With its `?`, or ''. */
  queryString: string
}

/** The path of a collection, or of what `rest` names below it, such as `points/query`. */
export function collectionPath(collection: string, rest = ''): string {
  return `/collections/${encodeURIComponent(collection)}${rest === '' ? '' : `/${rest}`}`
}

/** The path of a server's URL that stands before every path of the API, without a slash at its end. */
export function pathPrefix({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

/** The collection that a request target names; null for other paths. */
export function readCollectionPath(requestTarget: string): CollectionPath | null {
  const match = COLLECTION.exec(originForm(requestTarget))
  if (match === null) return null
  const [, name = '', rest = ''] = match
  return { collection: decode(name) ?? name, rest: (decode(rest) ?? rest).replace(/^\/+|\/+$/g, '') }
}

/** Null for targets of another shape than `SEARCH_PATH`, and where the name's encoding is broken. */
export function readSearchTarget(requestTarget: string): SearchTarget | null {
  const [, path = '', queryString = ''] = /^([^?#]*)(\?[^#]*)?$/.exec(requestTarget) ?? []
  if (!SEARCH_PATH.test(path)) return null
  const [, , name = '', , api, batch] = path.split('/')
  const collection = decode(name)
  if (collection === null) return null
  return { collection, api: api === 'query' ? 'query' : 'search', batch: batch === 'batch', queryString }
}

/** Whether a request can be sent twice without harm: GET, HEAD, and the POST routes that only read points. */
export function isRead(method: string, requestTarget: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true
  if (method !== 'POST') return false
  const path = readCollectionPath(requestTarget)
  return path !== null && READING_POSTS.test(path.rest)
}

/** Qdrant takes `http://host/path` as well as `/path`. */
function originForm(requestTarget: string): string {
  return requestTarget.replace(/^https?:\/\/[^/?#]*/i, '')
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

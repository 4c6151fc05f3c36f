/** What a path of Qdrant's REST API does, as far as a proxy has to know. Paths are raw: a request target, undecoded. */

const COLLECTION = /^\/collections\/([^/?#]+)(?:\/([^?#]*))?/
const READING_POSTS =
  /^(?:facet|points(?:\/(?:scroll|count|(?:query|search|recommend|discover)(?:\/(?:batch|groups))?|search\/matrix\/(?:pairs|offsets)))?)$/

export interface CollectionPath {
  /** Decoded name; as it stands where the encoding is broken. */
  collection: string
  /** What follows the name, without slashes at its ends; '' for the collection itself. */
  rest: string
}

/** The collection that a request target names; null for other paths. */
export function collectionPath(requestTarget: string): CollectionPath | null {
  const match = COLLECTION.exec(originForm(requestTarget))
  if (match === null) return null
  return { collection: decode(match[1] ?? ''), rest: decode(match[2] ?? '').replace(/^\/+|\/+$/g, '') }
}

/** Whether a request can be sent twice without harm: GET, HEAD, and the POST routes that only read points. */
export function isRead(method: string, requestTarget: string): boolean {
  if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') return true
  if (method !== 'POST') return false
  const path = collectionPath(requestTarget)
  return path !== null && READING_POSTS.test(path.rest)
}

/** Qdrant takes `http://host/path` as well as `/path`. */
function originForm(requestTarget: string): string {
  return requestTarget.replace(/^https?:\/\/[^/?#]*/i, '')
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

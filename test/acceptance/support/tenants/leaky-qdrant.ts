import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Engine } from '../../../../src/embedded/engine.ts'
import { EngineError } from '../../../../src/embedded/errors.ts'
import { parsePath, valuesAt } from '../../../../src/embedded/filter/payload-path.ts'
import { Pace } from '../../../../src/embedded/pace.ts'
import { route } from '../../../../src/embedded/routes.ts'
import { parseJson, printJson } from '../../../../src/embedded/wire/json.ts'
import { readPointId } from '../../../../src/embedded/wire/point-id.ts'
import { isCovered, namesIn, usedIds } from './naive-walk.ts'
import { CONDITION, FOREIGN_IDS, SHARED } from './world.ts'

export interface EngineAnswer {
  status: number
  text: string
  /** Whether the engine itself gave the answer. */
  real: boolean
}

/** What a server without manners tells: ids, payloads, vectors and names of others. */
const SECRETS = {
  id: FOREIGN_IDS[0],
  payload: { tenant: 'bravo', text: 'bravo-secret 0', n: 7_100_000 },
  vector: [7131.5078125, 0, 0, 1],
  collections: ['bravo-private', 'bravo-alias'],
}

/** Routes below a collection that read or write points. */
const POINTS = /^(?:facet|points(?:\/.*)?)$/

/** Whether a request to points tells nothing of others. */
export type IsSafe = (engine: Engine, collection: string, body: unknown) => boolean

/** Every filter holds the condition of acme, and all ids whose vectors are used are acme's. */
export const isSafeInShared: IsSafe = (engine, collection, body) =>
  isCovered(body) && usedIds(body, collection).every(({ collection: from, id }) => isOwnId(engine, from, id))

/** All collections that it names are acme's. */
export const isSafeInWhole: IsSafe = (_engine, collection, body) =>
  [collection, ...namesIn(body)].every(name => [...SHARED, 'current', undefined, null].includes(name as string))

/** Answers as the embedded engine does. What that does not have is answered with the points of others, unless it is a safe request to points. */
export async function answerLeaky(
  engine: Engine,
  isSafeIn: IsSafe,
  method: string,
  target: string,
  bodyText: string,
): Promise<EngineAnswer> {
  const { pathname, searchParams: search } = new URL(target, 'http://engine')
  const segments = pathname.split('/').filter(Boolean).map(decodeURIComponent)
  const [root, collection = '', ...rest] = segments
  const answer = (status: number, value: object): EngineAnswer => ({
    status,
    text: printJson({ ...value, time: 0 }),
    real: true,
  })
  try {
    const body = bodyText.trim() === '' ? undefined : parseJson(bodyText)
    if (['', 'healthz', 'livez', 'readyz'].includes(segments.join('/')))
      return { ...answer(200, { title: 'qdrant' }), real: false }
    if (root === 'collections' && rest.join('/') === 'facet' && method === 'POST')
      return answer(200, { result: await facet(engine, collection, body), status: 'ok' })
    const found = await route(engine, {
      method: method === 'HEAD' ? 'GET' : method,
      segments,
      search,
      body,
      pace: new Pace(),
    })
    return found === undefined ? leak() : answer(200, { result: found, status: 'ok' })
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    if (error.status !== 501) return answer(error.status, { status: { error: error.message } })
    return leak()
  }

  function leak(): EngineAnswer {
    const body = bodyText.trim() === '' ? undefined : parseJson(bodyText)
    const isSafe = root === 'collections' && POINTS.test(rest.join('/')) && isSafeIn(engine, collection, body)
    return { ...answer(200, { result: isSafe ? { points: [] } : SECRETS, status: 'ok' }), real: false }
  }
}

function isOwnId(engine: Engine, collection: string, id: unknown): boolean {
  try {
    return engine.collection(collection).get(readPointId(id))?.payload.tenant === CONDITION.match.value
  } catch {
    // An id or a collection that does not exist tells nothing.
    return true
  }
}

async function facet(engine: Engine, name: string, body: unknown) {
  const { key, filter, limit = 10 } = (body ?? {}) as { key?: string; filter?: unknown; limit?: number }
  if (typeof key !== 'string') throw new EngineError(400, 'Format error in JSON body: missing field `key`')
  const path = parsePath(key)
  const counts = new Map<unknown, number>()
  for await (const { payload } of engine.collection(name).matching(filter, new Pace()))
    for (const value of new Set(valuesAt(payload, path).flat()))
      if (typeof value === 'string' || Number.isInteger(value)) counts.set(value, (counts.get(value) ?? 0) + 1)
  const hits = [...counts].map(([value, count]) => ({ value, count }))
  return {
    hits: hits
      .sort((a, b) => b.count - a.count || (String(a.value) < String(b.value) ? -1 : 1))
      .slice(0, Number(limit)),
  }
}

export interface SeenRequest {
  method: string
  target: string
  headers: IncomingMessage['headers']
  body: string
}

/** A server that answers with `answerLeaky`. `seen` lists the requests since it was last emptied. */
export function createLeakyQdrant(
  engine: Engine,
  isSafeIn: IsSafe = isSafeInShared,
): { server: Server; seen: SeenRequest[] } {
  const seen: SeenRequest[] = []
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { method = '', url: target = '', headers } = request
    const body = Buffer.concat(parts).toString()
    seen.push({ method, target, headers, body })
    const { status, text } = await answerLeaky(engine, isSafeIn, method, target, body)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
  return { server, seen }
}

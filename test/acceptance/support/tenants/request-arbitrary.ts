import fc from 'fast-check'
import type { Route } from '../../../../src/tenants/guard/routes/route.ts'
import { ANY_BODY, BODIES } from './body-arbitrary.ts'
import { FOREIGN_IDS, FOREIGN_U64, OWN_IDS, PRIVATE } from './world.ts'

/** One request as acme sends it. */
export interface SentRequest {
  operation: string
  method: string
  target: string
  /** Beside the key. */
  headers: [name: string, value: string][]
  /** Latin-1; null for none. */
  body: string | null
  chunked: boolean
}

/** Requests to the given routes, as a client would write them. */
export function plainRequestTo(routes: readonly Route[]): fc.Arbitrary<SentRequest> {
  return fc.oneof(...routes.map(route => ({ weight: weightOf(route), arbitrary: plainRequest(route) })))
}

/** Requests to the given routes whose target, body, headers or method are odd in one way or two. */
export function twistedRequestTo(routes: readonly Route[]): fc.Arbitrary<SentRequest> {
  const twists = fc.array(fc.constantFrom<Twist>(...TARGET_TWISTS, ...BODY_TWISTS, ...HEADER_TWISTS), {
    minLength: 1,
    maxLength: 2,
  })
  return fc
    .tuple(plainRequestTo(routes), twists)
    .map(([request, twists]) => twists.reduce((twisted, twist) => twist(twisted), request))
}

/** Most requests go to the routes that read and write points, because most can go wrong there. */
function weightOf({ path }: Route): number {
  if (/\/(?:points|facet)(?:$|\/)/.test(path) && !path.includes('/shards/')) return 30
  return /^\/(?:collections|aliases)/.test(path) && !/shards|snapshots/.test(path) ? 6 : 2
}

const collection = fc.oneof(
  { weight: 12, arbitrary: fc.constant('shared') },
  { weight: 4, arbitrary: fc.constantFrom('archive', 'current', PRIVATE, 'bravo-alias', 'nowhere') },
)
const pointId = fc.constantFrom(
  ...[...OWN_IDS, ...FOREIGN_IDS].map(String),
  FOREIGN_U64,
  '999',
  'count',
  'scroll',
  '-1',
  '1.5',
)
const part = fc.constantFrom('0', 'tenant', 'words', 'snapshot', '*')
const queryString = fc.oneof(
  { weight: 10, arbitrary: fc.constant('') },
  fc.constantFrom('?wait=true', '?timeout=60', '?ordering=strong', '?consistency=all', '?', '?wait=true&wait=false'),
)

function plainRequest({ method, path, operation }: Route): fc.Arbitrary<SentRequest> {
  const body = BODIES[operation] ?? ANY_BODY
  return fc
    .record({ collection, pointId, part, queryString, body, any: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE') })
    .map(({ collection, pointId, part, queryString, body, any }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name) =>
        name === 'collection_name' ? collection : name === 'id' ? pointId : part,
      )
      const sent = method === '*' ? any : method
      const hasBody = body !== undefined && sent !== 'GET' && sent !== 'DELETE'
      return {
        operation,
        method: sent,
        target: encodeURI(filled) + queryString,
        headers: hasBody ? [['content-type', 'application/json'] as [string, string]] : [],
        body: hasBody ? withU64(JSON.stringify(body)) : null,
        chunked: false,
      }
    })
}

/** JSON.stringify cannot print a u64: 1e30 stands for the one of bravo. */
function withU64(json: string): string {
  return json.replaceAll('1e+30', FOREIGN_U64)
}

type Twist = (request: SentRequest) => SentRequest

const retarget =
  (change: (target: string) => string): Twist =>
  request => ({ ...request, target: change(request.target) })

const TARGET_TWISTS: Twist[] = [
  retarget(target => target.replace('/points', '//points')),
  retarget(target => target.replace('/collections/', '/collections//')),
  retarget(target => target.replace('/points', '/%70oints')),
  retarget(target => target.replace('shared', '%73hared')),
  retarget(target => target.replace('shared', '%2573hared')),
  retarget(target => target.replace('shared', `shared/../${PRIVATE}`)),
  retarget(target => target.replace('shared', `shared%2f..%2f${PRIVATE}`)),
  retarget(target => target.replace('shared', `.%2e/collections/${PRIVATE}`)),
  retarget(target => target.replace('/points', '%2fpoints')),
  retarget(target => target.replace('/points', '/./points')),
  retarget(target => target.replace('/points', '\\points')),
  retarget(target => target.replace('shared', 'shared;x=1')),
  retarget(target => target.replace('shared', 'shared%00')),
  retarget(target => target.replace('shared', 'SHARED')),
  retarget(target => target.replace('shared', '%E0%A4%A')),
  retarget(target => `${target}/`),
  retarget(target => `${target}//`),
  retarget(target => `${target}?`),
  retarget(target => `${target}${target.includes('?') ? '&' : '?'}collection_name=${PRIVATE}`),
  retarget(target => `${target}${target.includes('?') ? '&' : '?'}api-key=bravo-key-0123456789abcdef`),
  retarget(target => `http://${PRIVATE}${target}`),
  retarget(target => `${target}#/collections/${PRIVATE}`),
  retarget(target => target.replace('/collections', '/Collections')),
  retarget(target => `/x/..${target}`),
  retarget(target => `/v1/..${target}`),
  retarget(target => target.replace('/points', '/shards/0/points')),
]

const rebody =
  (change: (body: string) => string): Twist =>
  request =>
    request.body === null ? request : { ...request, body: change(request.body) }

const first = (more: string) => rebody(body => body.replace('{', `{${more}${body.startsWith('{}') ? '' : ','}`))
const last = (more: string) =>
  rebody(body => body.replace(/\}([^}]*)$/, `${body.startsWith('{}') ? '' : ','}${more}}$1`))

const BODY_TWISTS: Twist[] = [
  first('"filter":{}'),
  last('"filter":{}'),
  first('"filter":null'),
  last('"\\u0066ilter":{}'),
  last('"f\\u0069lter":null,"filt\\u0065r":{}'),
  last('"ids":[73100001]'),
  last('"points":[73100001]'),
  last('"\\u0070oints":[73100001]'),
  last('"Filter":{}'),
  last('"with_vectors":true'),
  last('"with_payload":true,"with_vector":true'),
  last('"unknown":1'),
  last('"prefetch":[{"query":[1,0,2,1],"limit":50}]'),
  last('"must":[]'),
  last('"__proto__":{"filter":{}}'),
  last('"tenant":"bravo"'),
  last('"payload":{"tenant":"bravo"}'),
  last('"update_filter":{"must_not":[]}'),
  rebody(body => body.replaceAll('"tenant"', '"t\\u0065nant"')),
  rebody(body => `\u00ef\u00bb\u00bf${body}`),
  rebody(body => `${body}x`),
  rebody(body => `${body}{}`),
  rebody(body => `[${body}]`),
  rebody(body => body.slice(0, -1)),
  rebody(body => body.replace('"', '"\u00ff')),
  rebody(body => body.replace('"', '"\\ud800')),
  rebody(body => body.replace(':', ':/*x*/')),
  rebody(body => body.replaceAll('1', '1e0')),
  rebody(body => body.replace('{', ' \n\t{ ')),
  rebody(() => ''),
  rebody(() => 'null'),
  rebody(body => `{"filter":${'{"must":['.repeat(300)}${']}'.repeat(300)},${body.slice(1)}`),
  rebody(body => `{"prefetch":${'{"prefetch":'.repeat(100)}{}${'}'.repeat(100)},${body.slice(1)}`),
]

const withHeader =
  (name: string, value: string): Twist =>
  request => ({ ...request, headers: [...request.headers, [name, value]] })
const withType =
  (value: string): Twist =>
  request => ({
    ...request,
    headers: [...request.headers.filter(([name]) => name !== 'content-type'), ['content-type', value]],
  })
const withMethod =
  (method: string): Twist =>
  request => ({ ...request, method })

const BRAVO = 'bravo-key-0123456789abcdef'

const HEADER_TWISTS: Twist[] = [
  withType('text/plain'),
  withType('application/json; charset=utf-16'),
  withType('application/x-www-form-urlencoded'),
  withType('application/json, application/json'),
  withHeader('content-encoding', 'gzip'),
  withHeader('content-encoding', 'identity'),
  withHeader('transfer-encoding', 'gzip'),
  withHeader('authorization', `Bearer ${BRAVO}`),
  withHeader('x-api-key', BRAVO),
  withHeader('openai-api-key', BRAVO),
  withHeader('api-key', BRAVO),
  withHeader('cookie', `api-key=${BRAVO}`),
  withHeader('x-http-method-override', 'DELETE'),
  withHeader('x-http-method', 'PUT'),
  withHeader('x-original-url', `/collections/${PRIVATE}/points/scroll`),
  withHeader('x-rewrite-url', '/telemetry'),
  withHeader('x-stowage-query', 'bravo-secret'),
  withHeader('connection', 'api-key'),
  withHeader('upgrade', 'websocket'),
  withHeader('expect', '100-continue'),
  withHeader('range', 'bytes=0-20'),
  withHeader('accept-encoding', 'gzip'),
  withMethod('HEAD'),
  withMethod('OPTIONS'),
  withMethod('TRACE'),
  withMethod('PATCH'),
  withMethod('DELETE'),
  withMethod('GET'),
  withMethod('POST'),
  withMethod('PUT'),
  withMethod('SEARCH'),
  withMethod('get'),
  request => ({ ...request, chunked: request.body !== null }),
]

/** The request as bytes. */
export function printRequest({ method, target, headers, body, chunked }: SentRequest, key: string): Buffer {
  const framed = body === null ? '' : chunked ? `${chunk(body.slice(0, 5))}${chunk(body.slice(5))}0\r\n\r\n` : body
  const framing = body === null ? [] : [chunked ? 'transfer-encoding: chunked' : `content-length: ${body.length}`]
  const lines = [`api-key: ${key}`, 'host: qdrant', ...headers.map(([name, value]) => `${name}: ${value}`), ...framing]
  return Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${framed}`, 'latin1')
}

function chunk(part: string): string {
  return part === '' ? '' : `${part.length.toString(16)}\r\n${part}\r\n`
}

import { gzipSync } from 'node:zlib'
import fc from 'fast-check'

/** One request as bytes; `Connection: close` so that the end of the answer is the end of the connection. */
interface AssortedRequest {
  name: string
  method: string
  parts: (string | Buffer)[]
}

const SHAPES = [
  '',
  'chunked',
  'gzip',
  'duplicates',
  'hop',
  'trailers',
  'empty',
  'unchanged',
  'missing',
  'broken',
  'latin',
  'dateless',
  'large',
]
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'M-SEARCH', 'TRACE']
const PATHS = [
  '/',
  '/collections',
  '/collections/docs/points/query',
  '/collections/docs/points/query/',
  '/collections/docs/points/search/batch',
  '/collections/a%2Fb/points/query',
  '/collections/%D7%A9%D7%9C%D7%95%D7%9D/points/scroll',
  '/collections/%E0%A4%A/points/query',
  '/collections//points///query',
  '/collections/x/../y/./points',
  '/dashboard/;a=b/index.html',
  '/metrics',
  '/livez',
  '/V1/context',
  '/v1/unknown',
  '/v1/context/deeper',
  "/a'b(c)*!$&,=:@~",
  '/with%20space+plus%2B',
  '/%00%01%zz',
]
const QUERIES = ['', 'wait=true', 'a=1&a=2&b[]=3', 'x=%26%3D', '&&==', '?', 'timeout=5&consistency=majority']
const HEADERS: string[][] = [
  [],
  ['api-key: secret', 'Authorization: Bearer t'],
  ['X-Dup: 1', 'x-dup: 2', 'X-DUP: 3'],
  ['Cookie: a=1', 'Cookie: b=2'],
  ['X-Empty:', 'X-Latin: caf\u00e9'],
  ['Accept-Encoding: gzip, br;q=0.5', 'Range: bytes=0-10'],
  ['TE: trailers', 'Keep-Alive: timeout=3', 'Proxy-Connection: keep-alive', 'Upgrade: h2c'],
  [
    'Via: 1.0 elsewhere',
    'X-Forwarded-For: 10.0.0.1',
    'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ],
  ['X-Long: '.concat('v'.repeat(20_000))],
]
type Body = { name: string; headers: string[]; parts: (string | Buffer)[] }
const sized = (name: string, body: Buffer, headers: string[] = []): Body => ({
  name,
  headers: [...headers, `Content-Length: ${body.length}`],
  parts: [body],
})
const chunked = (name: string, chunks: Buffer[], trailer = ''): Body => ({
  name,
  headers: ['Transfer-Encoding: chunked'],
  parts: [...chunks.flatMap(chunk => [`${chunk.length.toString(16)}\r\n`, chunk, '\r\n']), `0\r\n${trailer}\r\n`],
})
const json = Buffer.from('{"query":[0.1,5.0],"filter":{"must":[{"has_id":[18446744073709551615]}]},"limit":5}')
const BODIES: Body[] = [
  { name: 'none', headers: [], parts: [] },
  sized('empty', Buffer.alloc(0)),
  sized('json', json, ['Content-Type: application/json']),
  sized('bad json', Buffer.from('{"query": [1,'), ['Content-Type: application/json']),
  sized('bad utf-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), ['content-type: application/json']),
  sized('gzip', gzipSync(json), ['Content-Encoding: gzip', 'Content-Type: application/json']),
  sized('binary', Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7919) % 256))),
  chunked('chunked', [json.subarray(0, 10), json.subarray(10)]),
  chunked('chunked empty', []),
  chunked('chunked with trailer', [json], 'X-Check: 42\r\n'),
]

/** What no generator of well-formed requests makes; the HTTP parser itself answers some of them. */
const ODD_REQUESTS: AssortedRequest[] = (
  [
    ['GET', 'GET / HTTP/1.0\r\n\r\n'],
    ['GET', 'GET /collections?shape=chunked HTTP/1.0\r\nHost: x\r\n\r\n'],
    [
      'GET',
      'GET http://elsewhere.test/collections?shape=gzip HTTP/1.1\r\nHost: elsewhere.test\r\nConnection: close\r\n\r\n',
    ],
    ['OPTIONS', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['POST', 'POST /collections/c/points/query HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['FOO', 'FOO / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET', 'GET /caf\u00c3\u00a9 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['GET', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['GET', 'GET / HTTP/1.1\r\nHost: x\r\nBad Name: 1\r\nConnection: close\r\n\r\n'],
    ['PUT', 'PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\nzz\r\n'],
    [
      'PUT',
      'PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n',
    ],
    ['POST', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n{}'],
  ] as const
).map(([method, bytes]) => ({ name: bytes, method, parts: [bytes] }))

/** `count` requests of every sort, the same ones on each run; among them two bodies of 20 MB. */
export function assortedRequests(count: number): AssortedRequest[] {
  const huge = Buffer.alloc(20 * 1024 * 1024, 'stowage ')
  const fixed = [
    ...ODD_REQUESTS,
    build('PUT', '/collections/docs/points', 'wait=true', '', [], sized('20 MB', huge)),
    build(
      'POST',
      '/collections/docs/snapshots/upload',
      '',
      'chunked',
      [],
      chunked('20 MB chunked', [huge.subarray(0, 1e7), huge.subarray(1e7)]),
    ),
  ]
  const any = fc
    .tuple(
      fc.constantFrom(...METHODS),
      fc.constantFrom(...PATHS),
      fc.constantFrom(...QUERIES),
      fc.constantFrom(...SHAPES),
      fc.constantFrom(...HEADERS),
      fc.constantFrom(...BODIES),
    )
    .map(parts => build(...parts))
  return [...fixed, ...fc.sample(any, { numRuns: count - fixed.length, seed: 20_261 })]
}

function build(
  method: string,
  path: string,
  query: string,
  shape: string,
  headers: string[],
  body: Body,
): AssortedRequest {
  const target = `${path}?${[query, `shape=${shape}`].filter(part => part !== '').join('&')}`
  const head = [`${method} ${target} HTTP/1.1`, 'Host: stowage.test', ...headers, ...body.headers, 'Connection: close']
  return {
    name: `${method} ${target} [${headers[0]?.slice(0, 30) ?? ''}] ${body.name}`,
    method,
    parts: [`${head.join('\r\n')}\r\n\r\n`, ...body.parts],
  }
}

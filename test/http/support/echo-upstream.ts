import { createHash } from 'node:crypto'
import http from 'node:http'
import { gzipSync } from 'node:zlib'
import { endToEndHeaders } from '../../../src/http/passthrough/hop-by-hop.ts'
import { headerPairs } from '../../../src/qdrant/raw-headers.ts'

/**
 * A stand-in for Qdrant whose answer holds everything it saw of the request, so that equal answers mean equal requests.
 * The query parameter `shape` chooses how the answer is framed.
 */
export function createEchoUpstream(): http.Server {
  const server = http.createServer(
    { maxHeaderSize: 128 * 1024, requireHostHeader: false },
    async (request, response) => {
      const hash = createHash('sha256')
      let length = 0
      try {
        for await (const part of request) {
          hash.update(part)
          length += part.length
        }
      } catch {
        // The request broke off: Node has answered, or there is nobody to answer.
        return
      }
      const seen = Buffer.from(
        JSON.stringify({
          method: request.method,
          target: request.url,
          headers: [...headerPairs(endToEndHeaders(request.rawHeaders, ['host', 'via']))].filter(
            ([name, value]) => !(name.toLowerCase() === 'content-length' && value === '0'),
          ),
          framed: request.headers['transfer-encoding'] !== undefined,
          trailers: request.rawTrailers,
          body: { length, sha256: hash.digest('hex') },
        }),
      )
      answer(response, new URLSearchParams(request.url?.split('?')[1]).get('shape') ?? '', seen)
    },
  )
  return server
}

function answer(response: http.ServerResponse, shape: string, seen: Buffer): void {
  switch (shape) {
    case 'chunked':
      response.writeHead(200, ['Content-Type', 'application/json', 'X-Mixed-Case', 'Kept', 'vary', 'accept-encoding'])
      for (const byte of [seen.subarray(0, 3), seen.subarray(3)]) response.write(byte)
      return void response.end()
    case 'gzip':
      response.writeHead(200, ['content-encoding', 'gzip', 'content-type', 'application/json'])
      return void response.end(gzipSync(seen))
    case 'duplicates':
      response.writeHead(200, [
        'set-cookie',
        'a=1',
        'X-Twice',
        'one',
        'Set-Cookie',
        'b=2',
        'x-twice',
        'two',
        'x-empty',
        '',
      ])
      return void response.end(seen)
    case 'hop':
      response.writeHead(200, [
        'Connection',
        'close, X-Private',
        'X-Private',
        'gone',
        'X-Public',
        'kept',
        'Keep-Alive',
        'timeout=9',
      ])
      return void response.end(seen)
    case 'trailers':
      response.writeHead(200, ['Trailer', 'X-Sum', 'X-Framed', 'chunked'])
      response.write(seen)
      response.addTrailers([['X-Sum', String(seen.length)]])
      return void response.end()
    case 'empty':
      response.writeHead(204, ['x-nothing', 'yes'])
      return void response.end()
    case 'unchanged':
      response.writeHead(304, ['etag', '"7"', 'content-length', '1234'])
      return void response.end()
    case 'missing':
      response.writeHead(404, 'Not here, sorry', [
        'content-type',
        'text/plain; charset=utf-8',
        'content-length',
        String(seen.length),
      ])
      return void response.end(seen)
    case 'broken':
      response.writeHead(500, ['content-length', '0', 'retry-after', '3'])
      return void response.end()
    case 'latin':
      response.writeHead(200, ['x-latin', 'caf\u00e9 \u00ff', 'x-tab', 'a\tb'])
      return void response.end(seen)
    case 'dateless':
      response.sendDate = false
      response.writeHead(200, ['content-length', String(seen.length)])
      return void response.end(seen)
    case 'large':
      response.writeHead(200, ['content-type', 'application/octet-stream'])
      return void response.end(Buffer.alloc(3_000_000, seen))
    default:
      response.writeHead(200, ['content-type', 'application/json', 'content-length', String(seen.length)])
      response.end(seen)
  }
}

import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { startFilledServer } from './support/filled-server.ts'

let server: EmbeddedServer
const QUERY = '/collections/c/points/query'

beforeAll(async () => {
  server = await startFilledServer()
})
afterAll(() => server.close())

interface RawAnswer {
  status: number
  headers: { [name: string]: string | string[] | undefined }
  bytes: Buffer
}

function raw(
  method: string,
  path: string,
  headers: { [name: string]: string } = {},
  body?: Buffer,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const call = httpRequest(`${server.url}`, { method, path, headers }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
      )
    })
    call.on('error', reject)
    call.end(body)
  })
}

describe('the wire', () => {
  it('names itself as Qdrant and says it is alive', async () => {
    const root = await raw('GET', '/')
    expect(JSON.parse(root.bytes.toString())).toEqual({ title: 'qdrant - vector search engine', version: '1.18.0' })
    for (const path of ['/healthz', '/livez', '/readyz']) {
      const { status, headers, bytes } = await raw('GET', path)
      expect(status).toBe(200)
      expect(headers['content-type']).toContain('text/plain')
      expect(bytes.toString()).toBe(path === '/readyz' ? 'all shards are ready' : 'healthz check passed')
    }
    expect((await raw('GET', '/nowhere')).status).toBe(404)
  })

  it('answers HEAD with the headers of GET and no body', async () => {
    const head = await raw('HEAD', '/collections')
    expect(head.status).toBe(200)
    expect(Number(head.headers['content-length'])).toBeGreaterThan(20)
    expect(head.bytes.length).toBe(0)
  })

  it('never compresses an answer', async () => {
    const answer = await raw('GET', '/collections/c/points/1', { 'accept-encoding': 'gzip' })
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(JSON.parse(answer.bytes.toString()).result.id).toBe(1)
  })

  it('takes request bodies in gzip and refuses broken ones and other encodings', async () => {
    const body = Buffer.from(JSON.stringify({ exact: true }))
    const count = '/collections/c/points/count'
    const answer = await raw('POST', count, { 'content-encoding': 'gzip' }, gzipSync(body))
    expect(JSON.parse(answer.bytes.toString()).result).toEqual({ count: 3 })
    expect((await raw('POST', count, { 'content-encoding': 'gzip' }, body)).status).toBe(400)
    for (const encoding of ['br', 'deflate', 'sdch']) {
      expect((await raw('POST', count, { 'content-encoding': encoding }, body)).status, encoding).toBe(400)
    }
  })

  it('prints the envelope in Qdrant’s order: result, status, time', async () => {
    const answer = await raw('POST', QUERY, {}, Buffer.from('{"query":[0,5,0,0],"using":"dense","limit":1}'))
    expect(answer.bytes.toString()).toMatch(
      /^\{"result":\{"points":\[\{"id":1,"version":0,"score":0\.70710677\}\]\},"status":"ok","time":[\d.e-]+\}$/,
    )
    const failed = await raw('POST', QUERY, {}, Buffer.from('{"query":[1],"using":"dense"}'))
    expect(failed.bytes.toString()).toMatch(
      /^\{"status":\{"error":"Wrong input: Vector dimension error: expected dim: 4, got 1"\},"time":[\d.e-]+\}$/,
    )
  })

  it('survives malformed paths', async () => {
    for (const path of ['/collections/%E0%A4%A', '/collections//points', '/collections/c/points/%00']) {
      expect((await raw('GET', path)).status, path).toBeGreaterThanOrEqual(400)
    }
    expect((await raw('GET', '/collections/%63/exists')).bytes.toString()).toContain('"exists":true')
  })

  it('closes although a client keeps its connection', async () => {
    const other = await startEmbeddedServer()
    expect((await fetch(`${other.url}/collections`)).status).toBe(200)
    await other.close()
    await expect(fetch(`${other.url}/collections`)).rejects.toThrow()
  })

  it('finishes a request in flight when it closes, and lets no keep-alive hold it open', async () => {
    const other = await startEmbeddedServer()
    const socket = connect(other.port, '127.0.0.1')
    const ended = once(socket, 'close')
    let answer = ''
    socket.on('data', bytes => {
      answer += bytes
    })
    socket.write('PUT /collections/late HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n')
    await once(socket, 'data')
    const closed = other.close()
    socket.write('{}')
    await closed
    await ended
    expect(answer).toContain('"result":true')
    expect(answer.toLowerCase()).toContain('connection: close')
  }, 10_000)
})

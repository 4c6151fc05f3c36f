import { afterEach, describe, expect, it } from 'vitest'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { createStage } from '../support/stage.ts'
import { serveImproving } from './support/improving.ts'
import { listsAnswer, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

/** An upstream that keeps the request lines as bytes (latin1) and answers every request with one list of one point. */
async function startLineRecorder() {
  const lines: string[] = []
  const body = listsAnswer([pointText('1', '0.5')])
  const { url } = await stage.listenBytes(socket => {
    let received = ''
    socket.on('data', part => {
      received += part.toString('latin1')
      const head = /^([^\r]*)\r\n.*?\r\n\r\n/s.exec(received)
      const length = Number(/content-length: (\d+)/i.exec(head?.[0] ?? '')?.[1] ?? 0)
      if (head === null || received.length < head[0].length + length) return
      received = received.slice(head[0].length + length)
      lines.push(head[1] ?? '')
      const write = (answer: string) => (/connection: close/i.test(head[0]) ? socket.end(answer) : socket.write(answer))
      write(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    })
  })
  return { url, lines }
}

const SEARCH = '{"query":[0.1],"limit":1}'

async function ask(url: string, line: string, body = '') {
  const head = `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return readAnswer(await exchangeBytes(url, [`${head}\r\n\r\n${body}`]), 'POST')
}

/** Spellings that a URL parser would change. */
const NAMES = [
  'public\\..\\secret',
  'public%5C..%5Csecret',
  '%2e%2e',
  '%2E.',
  '..',
  '.',
  '...',
  'a%2Fb',
  'a%2f..%2fb',
  'a%00b',
  'a%09b',
  'a%0d%0ab',
  'd%c3%a9',
  'a"<>^`{|}b',
  "x'y~!$&()*+,;=:@",
  '%',
  '%zz',
]

describe('an improved search asks for the path as the client spelt it, or passes the request through', () => {
  it.each(NAMES)('%s', async name => {
    const upstream = await startLineRecorder()
    const { url } = await serveImproving(stage, upstream.url)
    for (const api of ['query', 'search', 'query/batch', 'search/batch']) {
      const body = api.includes('batch') ? `{"searches":[${SEARCH}]}` : SEARCH
      const searched = api.startsWith('search') ? body.replace('query', 'vector') : body
      const target = `/collections/${name}/points/${api}`
      const { statusLine, headers } = await ask(url, `POST ${target}?timeout=5&x=\\..`, searched)
      expect(statusLine).toContain(' 200 ')
      const passed = Object.fromEntries(headers)['x-stowage-applied'] !== 'fuse,pack'
      const sent = passed ? target : `/collections/${name}/points/query/batch`
      expect(upstream.lines.splice(0)).toEqual([`POST ${sent}?timeout=5&x=\\.. HTTP/1.1`])
    }
  })
})

describe('every other request has the target as the client spelt it', () => {
  it.each([
    ...NAMES.map(name => `/collections/${name}`),
    ...NAMES.map(name => `/collections/${name}/points/query/../../../x`),
    '//collections//a//points//query',
    '/./collections/../secret',
    '/\\evil.example/collections',
    '//evil.example/collections/x/points/query',
    '/collections/a?b=\\..\\c&d=%2e%2e#f',
    '/collections/a#/points/query',
    'http://other.example/collections/a\\..\\b',
    '/v1\\context',
    '/v1\\context#',
    '/v1\\metrics#x',
    '/healthz\\..\\collections',
    '/v1/metrics/../../collections',
    '/V1/metrics',
    '/%76%31/metrics',
    '/v1/%6detrics',
    '/%68ealthz',
  ])('%s', async target => {
    const upstream = await startLineRecorder()
    const { url } = await serveImproving(stage, upstream.url)
    for (const method of ['GET', 'POST']) {
      await ask(upstream.url, `${method} ${target}`, SEARCH)
      const [direct] = upstream.lines.splice(0)
      await ask(url, `${method} ${target}`, SEARCH)
      expect(upstream.lines.splice(0)).toEqual([direct])
    }
  })

  it.each([
    '/collections/d\xe9',
    '/collections/a\xa0\\..\\b/points/query',
    '/collections/a\tb',
    'collections\\a',
    '\\healthz#',
  ])('%s is refused, as it is no valid target', async target => {
    const upstream = await startLineRecorder()
    const { url } = await serveImproving(stage, upstream.url)
    expect((await ask(url, `POST ${target}`, SEARCH)).statusLine).toContain(' 400 ')
    expect(upstream.lines).toEqual([])
  })
})

describe('the client for reads', () => {
  it('sends a path as it is given', async () => {
    const upstream = await startLineRecorder()
    const http = createQdrantHttp(`${upstream.url}/prefix/`)
    for (const name of NAMES)
      await http.readRaw({
        method: 'GET',
        path: `/collections/${name}`,
        headers: [],
        signal: AbortSignal.timeout(5_000),
      })
    expect(upstream.lines).toEqual(NAMES.map(name => `GET /prefix/collections/${name} HTTP/1.1`))
    await http.close()
  })

  it('refuses characters that would end the request line', async () => {
    const upstream = await startLineRecorder()
    const http = createQdrantHttp(upstream.url)
    for (const name of ['a b', 'a\tb', 'a\r\nb', 'a\u{1F600}b']) {
      const read = http.readRaw({ method: 'GET', path: `/${name}`, headers: [], signal: AbortSignal.timeout(5_000) })
      await expect(read).rejects.toThrow()
    }
    expect(upstream.lines).toEqual([])
    await http.close()
  })
})

import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { exchangeBytes } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { proxyBefore } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

const GARBAGE = '\0no HTTP\r\n\r\n'
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const post = (path: string, body: string, coding = `Content-Length: ${body.length}`) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${coding}\r\n\r\n${body}`

/** stowage before a Qdrant that answers with the path and the body of the request, a little later. */
function echoing(): Promise<string> {
  return proxyBefore(stage, async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    setTimeout(() => response.end(`${request.url} ${body}`), 20)
  })
}

async function statusesAndText(url: string, bytes: string) {
  const text = (await exchangeBytes(url, [Buffer.from(bytes)])).toString()
  return { statuses: [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status)), text }
}

describe('bytes that are no HTTP', () => {
  test.each([
    ['behind one request', [get('/collections/a')], ['/collections/a ']],
    ['behind a body that is longer than it says', [post('/collections/a/points', '{}')], ['/collections/a/points {}']],
    ['behind a search', [post('/collections/a/points/query', '{}')], ['/collections/a/points/query {}']],
    [
      'behind several requests',
      [get('/collections/a'), post('/collections/b/points', '{}'), get('/collections/c')],
      ['/collections/a ', '/collections/b/points {}', '/collections/c '],
    ],
  ])('%s leave its answer as it is, and are refused after it', async (_where, requests, answers) => {
    const { statuses, text } = await statusesAndText(await echoing(), requests.join('') + GARBAGE)
    expect(statuses).toEqual([...answers.map(() => 200), 400])
    const places = answers.map(answer => text.indexOf(answer))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test.each([
    ['alone', GARBAGE, 400],
    ['in a path', 'GET /collections/ü HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['in a header that is too long', `GET / HTTP/1.1\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`, 431],
    ['in a chunked body', post('/collections/a/points', 'zz\r\n', 'Transfer-Encoding: chunked'), 400],
  ])('%s are refused', async (_where, bytes, status) => {
    expect((await statusesAndText(await echoing(), bytes)).statuses).toEqual([status])
  })

  test('behind the last request of a connection leave its answer whole', async () => {
    const whole = 'x'.repeat(4_000_000)
    const url = await proxyBefore(stage, (_request, response) => response.end(whole))
    const last = get('/collections/a').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
    const { statuses, text } = await statusesAndText(url, last + GARBAGE)
    expect(statuses).toEqual([200])
    expect(text.endsWith(whole)).toBe(true)
  })

  test('in a body whose answer has begun break the answer off', async () => {
    const url = await proxyBefore(stage, (_request, response) => response.write('begun '))
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () =>
      socket.write(post('/collections/a/points', '3\r\nabc\r\n', 'Transfer-Encoding: chunked')),
    )
    let received = ''
    socket.on('data', part => {
      if (received === '') socket.write('zz\r\n')
      received += part
    })
    await once(socket, 'close')
    expect(received).toContain('begun ')
    expect(received).not.toContain(' 400 ')
  })
})

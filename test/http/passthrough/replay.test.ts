import http from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { readBody } from '../../../src/http/body/read-body.ts'
import { createPassthrough } from '../../../src/http/passthrough/passthrough.ts'
import type { Step } from '../../../src/http/step.ts'
import { comparable, exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { createEchoUpstream } from '../support/echo-upstream.ts'

const stage = createStage()
afterEach(() => stage.close())

const TARGET = '/collections/docs/points/query?timeout=3&shape=duplicates'

/** A route that reads the body as the improved one does, gives up, and hands the request on. */
async function replaying(upstream: string, maxBytes: number): Promise<string> {
  const { passthrough } = createPassthrough({ upstream: new URL(upstream) })
  const improvePoints: Step = async (request, response) => {
    const { body } = await readBody(request, response, maxBytes)
    passthrough(request, response, body)
  }
  return (await stage.serve({ improvePoints })).url
}

test.each([
  ['sized', 1_000, 10_000],
  ['sized, empty', 0, 10_000],
  ['chunked', 1_000, 10_000],
  ['longer than the buffer', 3_000_000, 10_000],
  ['chunked and longer than the buffer', 3_000_000, 10_000],
])('a body that was read already is replayed untouched: %s', async (framing, length, maxBytes) => {
  const upstream = await stage.listen(createEchoUpstream())
  const body = Buffer.alloc(length, '{"query": [0.10, 5.0]}')
  const head = `POST ${TARGET} HTTP/1.1\r\nHost: x\r\nX-Dup: 1\r\nx-dup: 2\r\nConnection: close\r\n`
  const parts = framing.startsWith('chunked')
    ? [`${head}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n`, body, '\r\n0\r\nX-Sum: 1\r\n\r\n']
    : [`${head}Content-Length: ${length}\r\n\r\n`, body]
  const expected = comparable(readAnswer(await exchangeBytes(upstream, parts), 'POST'))
  const actual = comparable(readAnswer(await exchangeBytes(await replaying(upstream, maxBytes), parts), 'POST'))
  expect(actual).toEqual(expected)
})

test('a replayed read survives a connection that the upstream closed meanwhile', async () => {
  let requests = 0
  const upstream = http.createServer((request, response) => {
    requests++
    if (requests === 2) request.socket.resetAndDestroy()
    else request.pipe(response)
  })
  const url = await replaying(await stage.listen(upstream), 100)
  const ask = () => exchangeBytes(url, [`POST ${TARGET} HTTP/1.1\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`])
  expect(readAnswer(await ask(), 'POST').body.toString()).toBe('{}')
  expect(readAnswer(await ask(), 'POST').body.toString()).toBe('{}')
  expect(requests).toBe(3)
})

test('headers set before are added to the answer, its duplicates kept', async () => {
  const upstream = await stage.listen(createEchoUpstream())
  const { passthrough } = createPassthrough({ upstream: new URL(upstream) })
  const improvePoints: Step = (request, response) => {
    response.setHeader('x-stowage-applied', 'passthrough')
    passthrough(request, response)
  }
  const { url } = await stage.serve({ improvePoints })
  const bytes = await exchangeBytes(url, [`POST ${TARGET} HTTP/1.1\r\nConnection: close\r\n\r\n`])
  const names = readAnswer(bytes, 'POST').headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`)
  expect(names).toEqual(
    expect.arrayContaining([
      'x-stowage-applied: passthrough',
      'set-cookie: a=1',
      'set-cookie: b=2',
      'x-twice: one',
      'x-twice: two',
    ]),
  )
})

test('a prefix in the URL of the upstream goes before the raw target', async () => {
  const upstream = await stage.listen(createEchoUpstream())
  const { url } = await stage.serveBefore(`${upstream}/tenants/t1/`)
  const bytes = await exchangeBytes(url, ['GET /collections/a%2Fb/?x=%20 HTTP/1.1\r\nConnection: close\r\n\r\n'])
  expect(JSON.parse(readAnswer(bytes, 'GET').body.toString()).target).toBe('/tenants/t1/collections/a%2Fb/?x=%20')
})

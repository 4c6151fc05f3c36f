import http from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { exchangeBytes, readAnswer } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { proxyBefore, proxyBeforeBytes } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

const TEXT = '{"query":[0.1],"limit":1}'
const BODY = gzipSync(TEXT)

function chunks(body: Buffer): (string | Buffer)[] {
  return [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n']
}

test.each(['/collections/docs/points', '/collections/docs/points/query'])(
  'a compressed transfer of a request keeps its name: %s',
  async path => {
    const url = await proxyBefore(stage, async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      const isGzip = request.headers['transfer-encoding'] === 'gzip, chunked'
      response.end(isGzip ? gunzipSync(Buffer.concat(parts)) : 'a body that nobody can read')
    })
    const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: gzip, chunked\r\n\r\n`
    expect(readAnswer(await exchangeBytes(url, [head, ...chunks(BODY)]), 'POST').body.toString()).toBe(TEXT)
  },
)

test('a compressed transfer of an answer keeps its name', async () => {
  const { url } = await proxyBeforeBytes(stage, socket => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n')
      for (const part of chunks(BODY)) socket.write(part)
    })
  })
  const coding = await new Promise<string | undefined>((resolve, reject) => {
    const request = http.get(url, answer => {
      answer.resume().once('end', () => resolve(answer.headers['transfer-encoding']))
    })
    request.once('error', reject)
  })
  expect(coding).toBe('gzip, chunked')
})

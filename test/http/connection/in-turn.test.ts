import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { inTurn } from '../../../src/http/connection/in-turn.ts'
import { deferred } from '../../support/deferred.ts'
import { exchangeBytes } from '../../support/raw-client.ts'
import { createStage } from '../../support/stage.ts'
import { proxyBefore } from '../support/proxy-before.ts'

const stage = createStage()
afterEach(() => stage.close())

const put = (path: string, more = '') => `PUT ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n${more}\r\n{}`

test('requests that a client sends without waiting reach Qdrant one after the other', async () => {
  const seen: string[] = []
  const url = await proxyBefore(stage, (request, response) => {
    seen.push(`begin ${request.url}`)
    request.resume()
    setTimeout(
      () => {
        seen.push(`end ${request.url}`)
        response.end()
      },
      request.url === '/collections/1' ? 100 : 0,
    )
  })
  const paths = ['/collections/1', '/collections/2/points', '/snapshots/3', '/collections/4']
  const bytes = paths.map((path, at) => put(path, at === 3 ? 'Connection: close\r\n' : '')).join('')
  const received = (await exchangeBytes(url, [bytes])).toString()
  expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(paths.length)
  expect(seen).toEqual(paths.flatMap(path => [`begin ${path}`, `end ${path}`]))
})

test('requests whose client has left before their turn are dropped, and their responses close', async () => {
  const reached = deferred<void>()
  const begun: (string | undefined)[] = []
  const closed: (string | undefined)[] = []
  const third = deferred<void>()
  const server = createServer(
    inTurn(request => {
      begun.push(request.url)
      reached.resolve()
    }),
  )
  server.on('request', (request, response) =>
    response.once('close', () => {
      closed.push(request.url)
      if (closed.length === 3) third.resolve()
    }),
  )
  const { hostname, port } = new URL(await stage.listen(server))
  const client = connect(Number(port), hostname, () => client.write(['/1', '/2', '/3'].map(path => put(path)).join('')))
  await reached.promise
  client.destroy()
  await once(client, 'close')
  await third.promise
  expect(begun).toEqual(['/1'])
  expect(closed).toEqual(['/1', '/2', '/3'])
})

test('a client that sends ever more requests without waiting is read no further, and gets all answers in the end', async () => {
  const first = deferred<ServerResponse>()
  let received = 0
  const server = createServer(
    inTurn((request, response) => {
      request.resume()
      if (request.url === '/1') first.resolve(response)
      else response.end()
    }),
  )
  server.on('request', () => (received += 1))
  const { hostname, port } = new URL(await stage.listen(server))
  const client = connect(Number(port), hostname)
  client.write(put('/1') + put('/more').repeat(20_000) + put('/last', 'Connection: close\r\n'))
  const response = await first.promise
  await sleep(200)
  expect(received).toBeLessThan(5_000)
  response.end()
  const parts = await client.setEncoding('latin1').toArray()
  expect(received).toBe(20_002)
  expect(parts.join('').match(/HTTP\/1\.1 200/g)).toHaveLength(20_002)
})

test('a client that leaves while very many requests wait harms no other', async () => {
  const first = deferred<ServerResponse>()
  const closed = deferred<void>()
  const server = createServer(
    inTurn((request, response) => {
      if (request.url === '/1') first.resolve(response)
      else response.end()
    }),
  )
  let open = 0
  server.on('request', (_request, response) => {
    open += 1
    response.once('close', () => {
      open -= 1
      if (open === 0) closed.resolve()
    })
  })
  const { hostname, port } = new URL(await stage.listen(server))
  const client = connect(Number(port), hostname)
  client.write('GET /1 HTTP/1.1\r\nHost: x\r\n\r\n')
  const response = await first.promise
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20_000))
  await sleep(200)
  client.destroy()
  await once(client, 'close')
  response.end()
  await closed.promise
  expect(open).toBe(0)
})

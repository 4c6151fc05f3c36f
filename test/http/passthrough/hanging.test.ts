import http, { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { createPassthrough } from '../../../src/http/passthrough/passthrough.ts'
import { deferred } from '../../support/deferred.ts'
import { createStage } from '../../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

describe('a Qdrant that never answers', () => {
  /** What is counted when a client leaves, by a clock that runs from the first byte of its request on. */
  const countWhenLeaving = async (afterMs: number, upload: 'none' | 'whole' | 'half') => {
    const ends: (number | null)[] = []
    const arrived = deferred<void>()
    const settled = deferred<unknown>()
    let now = 0
    const upstream = createServer(request => {
      request.resume()
      if (upload === 'whole') request.on('end', arrived.resolve)
      else arrived.resolve()
    })
    const proxy = createPassthrough({
      upstream: new URL(await stage.listen(upstream)),
      onEnd: status => ends.push(status),
      now: () => now,
    })
    const server = createServer((request, response) => {
      const held = proxy.hold(request, response)
      held.release()
      settled.resolve(held.status)
    })
    const client = http.request(await stage.listen(server), { method: upload === 'none' ? 'GET' : 'PUT' })
    client.on('error', () => {})
    if (upload === 'none') client.end()
    if (upload === 'whole') client.end('{"points":[]}')
    if (upload === 'half') client.write('{"points":')
    await arrived.promise
    now = afterMs
    client.destroy()
    await settled.promise
    proxy.close()
    return ends
  }

  test.each([
    ['a client that waited for 0.9 s', 900, 'none', []],
    ['a client that waited for 5 s', 5_000, 'none', [null]],
    ['a client that waited for 5 s after its upload', 5_000, 'whole', [null]],
    ['a client that gives up its own upload', 5_000, 'half', []],
  ] as const)('is counted only for a client that has waited: %s', async (_name, afterMs, upload, counted) => {
    expect(await countWhenLeaving(afterMs, upload)).toEqual(counted)
  })
})

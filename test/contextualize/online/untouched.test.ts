import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writtenIds } from '../../../src/contextualize/online/notice-upserts.ts'
import { finish } from '../../../src/core/steps.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { send, sendOk } from '../../support/send.ts'
import { createStage } from '../../support/stage.ts'
import { openStowage } from '../../support/stowage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { pointsOf } from '../support/live-world.ts'
import { openOnlineWorld } from './support/online-world.ts'

const stage = createStage()
const open: (() => unknown)[] = []
let engine: EmbeddedServer
beforeEach(async () => {
  engine = await startEmbeddedServer()
})
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
  await stage.close()
  await engine.close()
})

/** A Qdrant that keeps what it receives, and answers as told. */
async function recording(answer: (response: http.ServerResponse) => void) {
  const received: { headers: string[]; body: Buffer }[] = []
  const front = await stage.listen(
    http.createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      received.push({ headers: request.rawHeaders, body: Buffer.concat(parts) })
      answer(response)
    }),
  )
  return { front, received }
}

const OK = '{"result":{"operation_id":1,"status":"completed"},"status":"ok","time":0.25}'

describe('an upsert into a collection with contexts', () => {
  it('keeps every byte, compressed or not, and so does its answer', async () => {
    const { front, received } = await recording(response => response.writeHead(200, { 'x-own': 'a' }).end(OK))
    const world = await openOnlineWorld(stage, engine.url, { front })
    open.push(world.close)
    const odd = Buffer.from('{ "points" : [ {"id":18446744073709551615, "vector":[1.0e-1], "id": 7} ] }  ')
    const bodies: [Buffer, Record<string, string>][] = [
      [odd, {}],
      [gzipSync(odd), { 'content-encoding': 'gzip' }],
    ]
    for (const [body, headers] of bodies) {
      const answer = await send(world.url, 'PUT', '/collections/c/points', body, headers)
      expect([answer.status, answer.text, answer.headers.get('x-own')]).toEqual([200, OK, 'a'])
      expect(received.at(-1)?.body.equals(body)).toBe(true)
    }
    await expect.poll(() => world.events.noticed).toEqual([[7], [7]])
  })

  it('is noticed only when Qdrant says that it succeeded', async () => {
    const answers = [
      (response: http.ServerResponse) => response.writeHead(422).end('{}'),
      (response: http.ServerResponse) => response.destroy(),
      (response: http.ServerResponse) => response.writeHead(200).end(OK),
    ]
    const { front } = await recording(response => answers.shift()?.(response))
    const world = await openOnlineWorld(stage, engine.url, { front })
    open.push(world.close)
    const statuses: number[] = []
    for (const id of [1, 2, 3])
      statuses.push((await send(world.url, 'PUT', '/collections/c/points', { points: [{ id }] })).status)
    expect(statuses[0]).toBe(422)
    expect(statuses[1]).toBe(502)
    await expect.poll(() => world.events.noticed).toEqual([[3]])
  })

  it('of 100,000 points passes also when its ids do not fit, or its body is not read', async () => {
    const { front, received } = await recording(response => response.writeHead(200).end(OK))
    const world = await openOnlineWorld(stage, engine.url, { front, mostPoints: 10 })
    open.push(world.close)
    const body = JSON.stringify({ points: Array.from({ length: 100_000 }, (_, id) => ({ id })) })
    expect((await send(world.url, 'PUT', '/collections/c/points', body)).status).toBe(200)
    await expect.poll(() => world.events.lost[0]).toMatchObject({ points: 99_990, outcome: 'dropped' })
    expect(received[0]?.body.length).toBe(body.length)
    const small = await openOnlineWorld(stage, engine.url, { front, maxBytes: 1_000 })
    open.push(small.close)
    expect((await send(small.url, 'PUT', '/collections/c/points', body)).status).toBe(200)
    await expect.poll(() => small.events.unread).toEqual([{ collection: 'c', detail: 'the body is too large' }])
    expect(received[1]?.body.length).toBe(body.length)
  })

  it('streams on unread in a collection without contexts', async () => {
    const { front } = await recording(response => response.writeHead(200).end(OK))
    const asked: string[] = []
    const world = await openOnlineWorld(stage, engine.url, {
      front,
      isWanted: name => {
        asked.push(name)
        return false
      },
    })
    open.push(world.close)
    await send(world.url, 'PUT', '/collections/c/points', { points: [{ id: 1 }] })
    await send(world.url, 'POST', '/collections/c/points/query', { limit: 1 })
    expect(asked).toEqual(['c'])
    expect([world.events.noticed, world.events.unread]).toEqual([[], []])
  })
})

describe('the ids of a body', () => {
  it('are those that a naive reader finds, in any form', () => {
    const id = fc.oneof(fc.integer({ min: 0, max: 2 ** 40 }), fc.uuid())
    const points = fc.array(
      fc.record({ id, payload: fc.dictionary(fc.string(), fc.jsonValue()), vector: fc.jsonValue() }),
    )
    const columns = fc
      .array(id)
      .map(ids => ({ batch: { vectors: [], ids, payloads: ids.map(own => ({ id: own, ids: [1] })) } }))
    fc.assert(
      fc.property(
        fc.oneof(
          points.map(all => ({ points: all })),
          columns,
        ),
        (upsert: object) => {
          const found = finish(writtenIds(Buffer.from(JSON.stringify(upsert)), 'upsert'))
          const naive =
            'points' in upsert
              ? (upsert.points as { id: unknown }[]).map(point => point.id)
              : (upsert as { batch: { ids: unknown[] } }).batch.ids
          expect(found).toEqual(naive)
          const operations = { operations: [{ delete: { points: [1] } }, { upsert }, { upsert }] }
          expect(finish(writtenIds(Buffer.from(JSON.stringify(operations)), 'batch'))).toEqual([...naive, ...naive])
        },
      ),
    )
  })
})

describe('the service', () => {
  it('writes contexts for collections of projects that want them, and counts them', async () => {
    const folder = temporaryFolder('online')
    const project = (name: string, writer: string) =>
      writeFileSync(
        join(folder, `${name}.json`),
        JSON.stringify({ version: 1, name, created_at: '2026-01-01T00:00:00Z', collection: name, context: { writer } }),
      )
    project('docs', 'rules')
    project('plain', 'off')
    const stowage = await openStowage({ QDRANT_URL: engine.url, PROJECTS_FOLDER: folder, CONTEXT_STATE_FOLDER: folder })
    open.push(stowage.close)
    const sparse = { sparse_vectors: { sparse: { modifier: 'idf' } } }
    for (const name of ['docs', 'plain']) {
      await sendOk(stowage.url, 'PUT', `/collections/${name}`, sparse)
      const payload = { doc_id: 'bell', doc_title: 'Bell', section_path: 'Sluice', text: 'Ring the bell twice.' }
      const { encodeBm25Document } = await import('../../../src/text/qdrant-bm25.ts')
      const vector = { sparse: encodeBm25Document('Bell > Sluice\nRing the bell twice.') }
      const points = [{ id: 1, payload, vector: { sparse: vector.sparse } }]
      await sendOk(stowage.url, 'PUT', `/collections/${name}/points?wait=true`, { points })
    }
    const model = async (name: string) => (await pointsOf(engine.url, name))[0]?.payload.context_model
    await expect.poll(() => model('docs'), { timeout: 10_000 }).toBe('rules')
    expect(await model('plain')).toBeUndefined()
    const { text } = await stowage.send('GET', '/v1/metrics')
    expect(text).toContain('stowage_contexts_total{model="rules",outcome="written"} 1')
    expect(text).toContain('stowage_context_queue_points 0')
  })
})

import { afterEach, describe, expect, it } from 'vitest'
import type { ImproveDependencies } from '../../src/drop-in/route.ts'
import { deferred } from '../support/deferred.ts'
import { comparable, exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { createStage } from '../support/stage.ts'
import { createHeldQdrant, type HeldCall } from './support/held-qdrant.ts'
import { chosen, serveImproving } from './support/improving.ts'
import { createManualClock } from './support/manual-clock.ts'
import { listsAnswer, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const HEDGE_MS = 200
const IMPROVED = { body: listsAnswer([pointText('1', '0.5')]) }
const ORIGINAL = {
  body: '{"result" : {"points":[ ]},"status":"ok","time":5.0e-6}',
  headers: { 'content-type': 'application/json', 'X-Odd': 'Spelling', 'set-cookie': 'a=1' },
}
const BODY = '{"query":[0.1],"limit":1}'
const HEAD = `POST /collections/docs/points/query HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nX-Stowage-Query: a%20question\r\nContent-Length: ${BODY.length}\r\n\r\n`

async function serveHeld(overrides: Partial<ImproveDependencies> = {}) {
  const qdrant = createHeldQdrant()
  const upstream = await stage.listen(qdrant.server)
  const clock = createManualClock()
  const served = await serveImproving(stage, upstream, { clock, hedgeMs: HEDGE_MS, ...overrides })
  const ask = async () => readAnswer(await exchangeBytes(served.url, [HEAD + BODY]), 'POST')
  return { ...served, ...qdrant, upstream, clock, ask }
}

type Held = Awaited<ReturnType<typeof serveHeld>>

/** Asks, and lets the hedge time pass once the batch has arrived at Qdrant. */
async function askSlowQdrant(
  held: Held,
): Promise<{ answer: ReturnType<Held['ask']>; batch: HeldCall; original: HeldCall }> {
  const answer = held.ask()
  const batch = await held.next()
  held.clock.advance(HEDGE_MS)
  const original = await held.next()
  expect([batch.kind, original.kind]).toEqual(['batch', 'original'])
  expect(original.request.body).toBe(BODY)
  return { answer, batch, original }
}

const headersOf = ({ headers }: { headers: [string, string][] }) => Object.fromEntries(headers)

describe('while Qdrant is slow', () => {
  it('the original request goes out after the hedge time, not before', async () => {
    const held = await serveHeld()
    const quick = held.ask()
    const batch = await held.next()
    held.clock.advance(HEDGE_MS - 1)
    batch.answer(IMPROVED)
    expect(headersOf(await quick)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    held.clock.advance(HEDGE_MS)
    const { answer, original } = await askSlowQdrant(held)
    expect(held.arrived).toEqual(['batch', 'batch', 'original'])
    original.answer(ORIGINAL)
    await answer
  })

  it('the improved answer wins when it is first, and the original request is ended', async () => {
    const held = await serveHeld()
    const { answer, batch, original } = await askSlowQdrant(held)
    batch.answer(IMPROVED)
    const improved = await answer
    expect(headersOf(improved)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    expect(improved.body.toString()).toContain('"id":1')
    await original.closed
    expect(held.events).toMatchObject([{ reason: null, hedged: true }])
  })

  it('the original answer wins when it is first, byte for byte, and the improved search is ended', async () => {
    const held = await serveHeld()
    const { answer, batch, original } = await askSlowQdrant(held)
    original.answer(ORIGINAL)
    const through = await answer
    await batch.closed
    const direct = exchangeBytes(held.upstream, [HEAD + BODY])
    ;(await held.next()).answer(ORIGINAL)
    const added = Object.entries(headersOf(through)).filter(([name]) => name.startsWith('x-stowage'))
    expect(Object.fromEntries(added)).toEqual({ 'x-stowage-applied': 'passthrough', 'x-stowage-degraded': 'hedged' })
    const headers = through.headers.filter(([name]) => !name.startsWith('x-stowage'))
    expect(comparable({ ...through, headers })).toEqual(comparable(readAnswer(await direct, 'POST')))
    expect(held.events).toMatchObject([{ reason: 'hedged', hedged: true, degraded: ['hedged'] }])
  })

  it('a long original answer that streams in parts is complete', async () => {
    const held = await serveHeld()
    const { answer, original } = await askSlowQdrant(held)
    const part = 'a long answer '.repeat(20_000)
    original.answer(response => {
      response.write(part)
      response.write(part)
      setImmediate(() => response.end(part))
    })
    const { body, complete } = await answer
    expect(complete).toBe(true)
    expect(body.toString() === part.repeat(3)).toBe(true)
  })

  it.each([503, 429, 404])('an original answer with status %d does not win over improving', async status => {
    const held = await serveHeld()
    const { answer, batch, original } = await askSlowQdrant(held)
    original.answer({ ...ORIGINAL, status })
    // An exchange with stowage lies between, so that the status has arrived before the batch is answered.
    const other = fetch(`${held.url}/collections`)
    ;(await held.next()).answer(ORIGINAL)
    await other
    batch.answer(IMPROVED)
    expect(headersOf(await answer)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
  })

  it('an original answer with an error is given when improving fails, too', async () => {
    const held = await serveHeld()
    const { answer, batch, original } = await askSlowQdrant(held)
    original.answer({ ...ORIGINAL, status: 503, body: 'overloaded' })
    batch.answer({ status: 500, body: 'oops' })
    const { statusLine, headers, body } = await answer
    expect(statusLine).toContain(' 503 ')
    expect(body.toString()).toBe('overloaded')
    expect(Object.fromEntries(headers)).toMatchObject({ 'X-Odd': 'Spelling', 'x-stowage-degraded': 'upstream_refused' })
  })

  it('improving that fails first waits for the original answer', async () => {
    const held = await serveHeld()
    const { answer, batch, original } = await askSlowQdrant(held)
    batch.answer({ status: 500, body: 'oops' })
    const other = fetch(`${held.url}/collections`)
    ;(await held.next()).answer(ORIGINAL)
    await other
    original.answer(ORIGINAL)
    expect((await answer).body.toString()).toBe(ORIGINAL.body)
    expect(held.arrived).toEqual(['batch', 'original', 'original'])
  })

  it('both broken connections are one 502', async () => {
    const held = await serveHeld()
    const { answer, batch, original } = await askSlowQdrant(held)
    original.answer(null)
    batch.answer(null)
    // A read on a broken connection is sent a second time.
    const again = await held.next()
    expect(again.kind).toBe('batch')
    again.answer(null)
    expect((await answer).statusLine).toContain(' 502 ')
  })

  it('a client that leaves ends both', async () => {
    const held = await serveHeld()
    const leaving = new AbortController()
    const headers = { 'content-type': 'application/json' }
    const url = `${held.url}/collections/docs/points/query`
    const asked = fetch(url, { method: 'POST', body: BODY, headers, signal: leaving.signal })
    const batch = await held.next()
    held.clock.advance(HEDGE_MS)
    const original = await held.next()
    leaving.abort()
    await expect(asked).rejects.toThrow('aborted')
    await Promise.all([batch.closed, original.closed])
    expect(held.events).toEqual([])
  })
})

describe('after Qdrant has answered the improved search', () => {
  const placed = pointText('1', '0.5', '{"text":"t","doc_id":"d","order_index":3}')

  it('neighbours that take longer than the hedge time are left out', async () => {
    const held = await serveHeld({
      choosePoints: async ({ lists, fetchNeighbours }) => {
        const failed = await fetchNeighbours?.([{ docId: 'd', orderIndex: 4 }]).catch(() => 'no neighbours')
        expect(failed).toBe('no neighbours')
        return chosen(lists.flatMap(({ hits }) => hits))
      },
    })
    const answer = held.ask()
    ;(await held.next()).answer({ body: listsAnswer([placed]) })
    const neighbours = await held.next()
    expect(neighbours.kind).toBe('neighbours')
    held.clock.advance(HEDGE_MS)
    await neighbours.closed
    expect(headersOf(await answer)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    expect(held.arrived).toEqual(['batch', 'neighbours'])
  })

  const withNeighbours: ImproveDependencies['choosePoints'] = async ({ lists, fetchNeighbours }) => {
    await fetchNeighbours?.([{ docId: 'd', orderIndex: 4 }]).catch(() => [])
    return chosen(lists.flatMap(({ hits }) => hits))
  }
  // The question of these tests names one of them.
  const named = ['question', 'answer', 'reply'].map((source, at) =>
    pointText(`${at + 1}`, '0.5', `{"text":"Text ${at}.","metadata":{"source":"/docs/${source}.txt"}}`),
  )

  it.each<[string, string, { points: string[] } & Partial<ImproveDependencies>]>([
    ['neighbours', 'neighbours', { points: [placed], choosePoints: withNeighbours }],
    [
      'documents that the question names',
      'batch',
      { points: named, documentFilter: async () => ({ key: 'metadata.source', types: ['string'] }) },
    ],
  ])('%s that are late five times in a row are not read during a pause', async (_what, kind, { points, ...own }) => {
    const held = await serveHeld(own)
    const ask = async (answerRead: ((call: HeldCall) => unknown) | null) => {
      const answer = held.ask()
      ;(await held.next()).answer({ body: listsAnswer(points) })
      if (answerRead !== null) await answerRead(await held.next())
      expect(headersOf(await answer)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
      return held.arrived.splice(0)
    }
    const late = ({ closed }: HeldCall) => {
      held.clock.advance(HEDGE_MS)
      return closed
    }
    const nothing = kind === 'batch' ? listsAnswer([]) : '{"result":{"points":[]},"status":"ok","time":0}'
    const quick = (call: HeldCall) => call.answer({ body: nothing })
    for (let turn = 0; turn < 5; turn += 1) expect(await ask(late)).toEqual(['batch', kind])
    expect(await ask(null)).toEqual(['batch'])
    held.clock.advance(1_000)
    expect(await ask(late)).toEqual(['batch', kind])
    held.clock.advance(1_000)
    expect(await ask(null)).toEqual(['batch'])
    held.clock.advance(1_000)
    for (let turn = 0; turn < 3; turn += 1) expect(await ask(quick)).toEqual(['batch', kind])
  })

  it('neighbours are not asked for when Qdrant was already slow', async () => {
    const held = await serveHeld({
      choosePoints: withNeighbours,
    })
    const { answer, batch } = await askSlowQdrant(held)
    batch.answer({ body: listsAnswer([placed]) })
    expect(headersOf(await answer)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    expect(held.arrived).toEqual(['batch', 'original'])
  })

  it('a ranking that is finished after the deadline still wins over an original that is not answered', async () => {
    const ranked = deferred<void>()
    const choosing = deferred<void>()
    const held = await serveHeld({
      deadlineMs: 1_000,
      choosePoints: async ({ lists }) => {
        choosing.resolve()
        await ranked.promise
        return chosen(lists.flatMap(({ hits }) => hits))
      },
    })
    const answer = held.ask()
    ;(await held.next()).answer(IMPROVED)
    await choosing.promise
    held.clock.advance(1_000)
    const original = await held.next()
    expect(original.kind).toBe('original')
    ranked.resolve()
    expect(headersOf(await answer)).toMatchObject({ 'x-stowage-applied': 'fuse,pack' })
    await original.closed
  })

  it('a pipeline that never ends does not keep an error of the original back beyond the deadline', async () => {
    const choosing = deferred<void>()
    const held = await serveHeld({
      deadlineMs: 1_000,
      choosePoints: () => {
        choosing.resolve()
        return new Promise(() => {})
      },
    })
    const answer = held.ask()
    ;(await held.next()).answer(IMPROVED)
    await choosing.promise
    held.clock.advance(1_000)
    ;(await held.next()).answer({ ...ORIGINAL, status: 503, body: 'overloaded' })
    const { statusLine, body } = await answer
    expect(`${statusLine} ${body}`).toBe('HTTP/1.1 503 Service Unavailable overloaded')
  })
})

import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../src/drop-in/clock.ts'
import { createReadLimits, type DeclaredLimit } from '../../src/drop-in/read-limit.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import { deferred } from '../support/deferred.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { openStowage } from '../support/stowage.ts'
import { createHeldQdrant } from './support/held-qdrant.ts'
import { chosen, serveImproving } from './support/improving.ts'
import { limitReads, REFUSAL, type ReadsLeft } from './support/limited-qdrant.ts'
import { createManualClock } from './support/manual-clock.ts'
import {
  createScriptedQdrant,
  listsAnswer,
  ORIGINAL,
  pointText,
  type ScriptedAnswer,
} from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const AGREEMENTS = Array.from({ length: 150 }, (_, at) => (at === 0 ? 'axial' : `party${at}`))
const CHUNKS = ['it binds', 'notice', 'courts']
const QUESTION = 'For how many years does the agreement with Axial bind us?'
const PATH = '/collections/contracts/points/query'
const ASKED = { 'x-stowage-query': QUESTION }
/** Its own cost is one read. */
const SEARCH = { query: [1, 0], limit: 5 }

/**
 * As LangChain writes agreements, in a few chunks each. A question that names one is searched twice, and the chunks beside those in the first two thirds of the order
 * are fetched.
 */
const points = AGREEMENTS.flatMap((name, at) =>
  CHUNKS.map((clause, chunk) => {
    const angle = chunk * 1.2 + at / 200
    return {
      id: at * CHUNKS.length + chunk + 1,
      vector: [Math.cos(angle), Math.sin(angle)],
      payload: {
        page_content: `Clause ${chunk} of ${name}: ${clause} for ${at + 2} years.`,
        metadata: { source: `/nda/${name}.txt`, chunk_index: chunk },
      },
    }
  }),
)

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await send(engine.url, 'PUT', '/collections/contracts', { vectors: { size: 2, distance: 'Cosine' } })
  await send(engine.url, 'PUT', '/collections/contracts/points?wait=true', { points })
  return () => engine.close()
})

/** The whole of stowage before a Qdrant with so many reads left, which asks to wait for longer than the test takes. */
async function openLimited(
  left: number,
  strictMode?: ReadsLeft['strictMode'],
  { look, ...environment }: Pick<ReadsLeft, 'look'> & Record<`DROPIN_${string}`, string> = {},
) {
  const limit = { left, retryAfter: '300', strictMode, look }
  const { server, reads, looks } = await limitReads(engine.url, 'contracts', limit)
  const stowage = await openStowage({ QDRANT_URL: await stage.listen(server), ...environment })
  onTestFinished(() => stowage.close())
  const search = async (body: object = SEARCH, asked: Record<string, string> = ASKED, path = PATH) => {
    const { status, headers, text } = await stowage.send('POST', path, body, asked)
    const header = (name: string) => headers.get(name) ?? ''
    return { status, text, retryAfter: header('retry-after'), degraded: header('x-stowage-degraded') }
  }
  return { limit, reads, looks, search }
}

describe('a Qdrant that limits reads', () => {
  it('is asked for nothing more after a read beside the search of the client was refused', async () => {
    const unlimited = await openLimited(1_000)
    expect(await unlimited.search()).toMatchObject({ status: 200, degraded: '' })
    const kinds = unlimited.reads.map(({ request }) => request.path.replace(/.*points/, ''))
    expect(kinds).toEqual(['/query/batch', '/scroll', '/query/batch', '/query'])
    const used = 1_000 - unlimited.limit.left
    for (let left = 1; left < used; left += 1) {
      const { limit, reads, search } = await openLimited(left)
      const first = await search()
      expect(first.status).toBe(200)
      expect(first.degraded).toMatch(/named_documents_not_searched|neighbours_unavailable/)
      expect(reads.map(({ refused }) => refused)).toEqual([...Array(reads.length - 1).fill(false), true])
      reads.length = 0
      limit.left = 3 // one for each search
      for (let turn = 0; turn < 3; turn += 1)
        expect(await search()).toMatchObject({ status: 200, degraded: 'improving_paused' })
      expect(reads.map(({ request }) => request.body)).toEqual(Array(3).fill(JSON.stringify(SEARCH)))
    }
  })

  it("gives the client its own refusal, when it refuses the improved search and the client's own one", async () => {
    const { limit, reads, search } = await openLimited(0)
    expect(await search()).toEqual({ status: 429, text: REFUSAL, retryAfter: '300', degraded: 'upstream_refused' })
    expect(reads).toHaveLength(2)
    limit.left = 1
    expect(await search()).toMatchObject({ status: 200, degraded: 'improving_paused' })
  })

  it('is left alone also after it has refused a search that stowage does not improve', async () => {
    const { limit, search } = await openLimited(0)
    const random = await search({ query: { sample: 'random' }, limit: 1 })
    expect(random).toMatchObject({ status: 429, degraded: 'query_not_understood' })
    limit.left = 2
    // The server sees the end of an answer after the client: one more request is answered after it.
    await search({ query: { sample: 'random' }, limit: 1 })
    expect(await search()).toMatchObject({ status: 200, degraded: 'improving_paused' })
  })
})

describe('a collection whose strict mode limits reads', () => {
  it('answers as many searches as without stowage, all of them improved', async () => {
    const { reads, looks, search } = await openLimited(20, { enabled: true, read_rate_limit: 20 })
    for (let turn = 0; turn < 20; turn += 1)
      expect(await search()).toMatchObject({ status: 200, degraded: 'reads_limited' })
    expect(await search()).toMatchObject({ status: 429, text: REFUSAL, retryAfter: '300' })
    expect(reads.slice(0, 20).map(({ request }) => request.path)).toEqual(Array(20).fill(`${PATH}/batch`))
    expect(looks).toEqual(['/collections/contracts'])
  })

  it('answers as many searches at once as without stowage, and is looked at once', async () => {
    // On a busy machine, a hedge or the deadline would bring a second read.
    const patient = { DROPIN_HEDGE_MS: '60000', DROPIN_DEADLINE_MS: '60000' }
    const { looks, search } = await openLimited(20, { enabled: true, read_rate_limit: 20 }, patient)
    const answers = await Promise.all(Array.from({ length: 20 }, () => search(SEARCH, ASKED, `${PATH}?timeout=120`)))
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(looks).toHaveLength(1)
  })

  it('is not looked at when nothing would be read beside the search', async () => {
    const { looks, search } = await openLimited(20, { enabled: true, read_rate_limit: 20 })
    expect(await search(SEARCH, {})).toMatchObject({ status: 200, degraded: 'no_query_text' })
    expect(looks).toEqual([])
  })

  it.each<[string, ReadsLeft['strictMode']]>([
    ['strict mode is off', { enabled: false, read_rate_limit: 20 }],
    ['it has other limits only', { enabled: true, max_query_limit: 1_000 }],
  ])('is no such collection when %s', async (_why, strictMode) => {
    const { reads, search } = await openLimited(1_000, strictMode)
    await search()
    expect(reads.length).toBeGreaterThan(1)
  })
})

describe('a collection that does not say whether its reads are limited', () => {
  it('is searched as without stowage, and nothing more, while the look is slow', async () => {
    const look = deferred<void>()
    const { reads, search } = await openLimited(1_000, { enabled: true, read_rate_limit: 20 }, { look: look.promise })
    for (let turn = 0; turn < 3; turn += 1)
      for (const answer of await Promise.all(Array.from({ length: 5 }, () => search()))) expect(answer.status).toBe(200)
    look.resolve()
    const [beside] = reads.filter(
      ({ request }) => request.path.endsWith('/scroll') || request.body.includes('"filter"'),
    )
    expect(beside).toBeUndefined()
  })

  it('is read as others are as soon as it has said that there is no limit', async () => {
    const look = deferred<boolean>()
    const isDeclared = () => look.promise
    const { clock, improver, degraded, ask, secondCall } = await serveRefusing('1', { refuses: false, isDeclared })
    const first = ask()
    // The first quick call is the search, the second one the look.
    await secondCall
    clock.advance(QUICK_MS)
    expect(await first).toBe('fuse,pack')
    look.resolve(false)
    expect(await ask()).toBe('fuse,pack')
    const batch = '/collections/docs/points/query/batch'
    expect(improver.map(({ path }) => path)).toEqual([batch, batch, '/collections/docs/points/query'])
    expect(degraded).toEqual([[READS_LIMITED], []])
  })

  it('is one where the key may not look', async () => {
    const { reads, search } = await openLimited(1_000, 'forbidden')
    expect(await search()).toMatchObject({ status: 200, degraded: 'reads_limited' })
    expect(reads).toHaveLength(1)
  })
})

const placed = pointText('1', '0.5', '{"text":"t","doc_id":"d","order_index":3}')

const READS_LIMITED = { code: 'reads_limited', detail: expect.stringContaining('429') }
/** Longest time of a quick call. */
const QUICK_MS = 200

interface Refusing {
  plan?: Plan
  /** Whether the next improved search is refused. Default: yes. */
  refuses?: boolean
  isDeclared?: DeclaredLimit
}

/** stowage before a Qdrant that refuses the next improved search with this `retry-after`. Each improved answer asks for neighbours. */
async function serveRefusing(
  retryAfter: string | null,
  { plan = NAMED_PLANS.measured, refuses = true, isDeclared = async () => false }: Refusing = {},
) {
  const lists: ScriptedAnswer = response => {
    if (!refuses) return void response.writeHead(200).end(listsAnswer([placed]))
    refuses = false
    if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
    response.writeHead(429).end(REFUSAL)
  }
  const qdrant = createScriptedQdrant({
    lists,
    neighbours: '{"result":{"points":[]},"status":"ok","time":0}',
    direct: ORIGINAL,
  })
  const clock = createManualClock()
  let quickCalls = 0
  const secondCall = deferred<void>()
  const after: Clock['after'] = (milliseconds, run) => {
    if (milliseconds === QUICK_MS) quickCalls += 1
    if (quickCalls === 2) secondCall.resolve()
    return clock.after(milliseconds, run)
  }
  const pauses: object[] = []
  const degraded: unknown[] = []
  const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
    clock: { ...clock, after },
    hedgeMs: QUICK_MS,
    declaredLimit: isDeclared,
    decide: decideByConfiguration(plan),
    onPause: change => void pauses.push(change),
    choosePoints: async ({ lists, fetchNeighbours, ...request }) => {
      degraded.push(request.degraded)
      await fetchNeighbours?.([{ docId: 'd', orderIndex: 4 }]).catch(() => [])
      return chosen(lists.flatMap(({ hits }) => hits))
    },
  })
  const ask = async () => {
    const asked = { 'x-stowage-query': 'a question' }
    const { headers } = await send(url, 'POST', '/collections/docs/points/query', { query: [0.1], limit: 1 }, asked)
    return headers.get('x-stowage-degraded') ?? headers.get('x-stowage-applied')
  }
  return { ...qdrant, clock, pauses, degraded, ask, secondCall: secondCall.promise }
}

it('is asked for one read by each search, however slow it is, when its limit is known', async () => {
  const qdrant = createHeldQdrant()
  const clock = createManualClock()
  const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
    clock,
    hedgeMs: QUICK_MS,
    deadlineMs: 1_000,
    declaredLimit: async () => true,
  })
  const ask = () => send(url, 'POST', '/collections/docs/points/query', { query: [0.1], limit: 1 }, ASKED)
  for (const waitMs of [0, 999]) {
    const answer = ask()
    const batch = await qdrant.next()
    clock.advance(waitMs)
    // A hedge would arrive before this.
    const other = send(url, 'GET', '/collections')
    const next = await qdrant.next()
    expect(next.request.method).toBe('GET')
    next.answer({ body: ORIGINAL })
    await other
    batch.answer({ body: listsAnswer([placed]) })
    expect((await answer).headers.get('x-stowage-applied')).toBe('fuse,pack')
  }
  const answer = ask()
  await qdrant.next()
  clock.advance(1_000)
  ;(await qdrant.next()).answer({ body: ORIGINAL })
  expect((await answer).headers.get('x-stowage-degraded')).toBe('deadline')
})

describe('the pause after a 429', () => {
  it.each([
    ['7', 7_000],
    ['0', 1_000],
    ['86400', 300_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 10_000],
    [null, 10_000],
  ])('is as long as Qdrant asks, within bounds: %s', async (retryAfter, pauseMs) => {
    const { clock, pauses, ask } = await serveRefusing(retryAfter)
    expect(await ask()).toBe('upstream_refused')
    clock.advance(pauseMs - 1)
    expect(await ask()).toBe('improving_paused')
    clock.advance(1)
    expect(await ask()).toBe('fuse,pack')
    expect(pauses).toEqual([
      { collection: 'docs', tenant: null, paused: true, askedMs: pauseMs },
      { collection: 'docs', tenant: null, paused: false },
    ])
  })

  it('is followed by improved searches that cost one read', async () => {
    const { clock, improver, degraded, ask } = await serveRefusing('1')
    await ask()
    clock.advance(1_000)
    improver.length = 0
    for (let turn = 0; turn < 3; turn += 1) expect(await ask()).toBe('fuse,pack')
    expect(improver.map(({ path }) => path)).toEqual(Array(3).fill('/collections/docs/points/query/batch'))
    expect(degraded).toEqual(Array(3).fill([READS_LIMITED]))
  })

  it('takes nothing from a plan that reads nothing beside the search', async () => {
    const own = { retrieval: { namedDocuments: null }, reunification: { fetch: false } }
    const { clock, degraded, ask } = await serveRefusing('1', { plan: overridePlan(NAMED_PLANS.measured, own) })
    await ask()
    clock.advance(1_000)
    expect(await ask()).toBe('fuse,pack')
    expect(degraded).toEqual([[]])
  })

  it("comes also when only the client's own request was refused, and the improved answer was given", async () => {
    const qdrant = createHeldQdrant()
    const clock = createManualClock()
    const pauses: object[] = []
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      clock,
      hedgeMs: 200,
      onPause: change => void pauses.push(change),
    })
    const ask = () => send(url, 'POST', '/collections/docs/points/query', { query: [0.1], limit: 1 })
    const answer = ask()
    const batch = await qdrant.next()
    clock.advance(200)
    const original = await qdrant.next()
    original.answer({ status: 429, body: REFUSAL, headers: { 'retry-after': '3' } })
    // An exchange with stowage lies between, so that the refusal has arrived before the batch is answered.
    const other = send(url, 'GET', '/collections')
    ;(await qdrant.next()).answer({ body: ORIGINAL })
    await other
    batch.answer({ body: listsAnswer([placed]) })
    expect((await answer).headers.get('x-stowage-applied')).toBe('fuse,pack')
    expect(pauses).toEqual([{ collection: 'docs', tenant: null, paused: true, askedMs: 3_000 }])
    const next = ask()
    ;(await qdrant.next()).answer({ body: ORIGINAL })
    expect((await next).headers.get('x-stowage-degraded')).toBe('improving_paused')
  })

  it('is one of the tenant, and so is that nothing more is read', async () => {
    const paused: unknown[] = []
    const readLimitOf = createReadLimits({ pauseFor: (...pause) => void paused.push(pause) })
    const allowsMore = async (collection: string, tenant: string | null) => {
      const limit = readLimitOf(collection, tenant)
      await limit.learn(null)
      return limit.allowsMore
    }
    readLimitOf('shared', 'acme').notice(429, '5')
    readLimitOf('shared', 'acme').notice(400, '5')
    expect(paused).toEqual([['shared', 'acme', 5_000]])
    expect(await allowsMore('shared', 'acme')).toBe(false)
    expect(await allowsMore('shared', 'beta')).toBe(true)
    expect(await allowsMore('other', 'acme')).toBe(true)
  })
})

import { describe, expect, it } from 'vitest'
import { probeEndpoints } from '../../../../src/adapters/models/fleet/probe.ts'
import { createHttpReranker } from '../../../../src/adapters/models/http-reranker.ts'
import { createManualClock } from '../../../drop-in/support/manual-clock.ts'
import { deferred } from '../../../support/deferred.ts'
import { type JsonAnswer, type JsonServer, startJsonServer } from '../../../support/json-server.ts'
import { noSignal } from '../../../support/model-folders.ts'
import { startRecordingServer } from '../../../support/recording-server.ts'
import { type Answer, hanging, opened, openFleet, PASSAGES, right, SCORES } from './support/open-fleet.ts'

/** Asks two nodes, of which the first answers when it may, and the second as the hedge. */
async function askLateFirst(mayAnswer: Promise<void>, second: Answer, onEvent: (event: string) => void) {
  const nodes = [await startRecordingNode(mayAnswer), await startJsonServer(second)] as const
  opened.push(...nodes)
  const clock = createManualClock()
  const reranker = createHttpReranker({
    urls: nodes.map(({ url }) => url),
    shape: 'tei',
    now: clock.now,
    startTimer: clock.after,
    random: () => 0,
    observer: {
      rerankNodeCalled: ({ outcome }) => onEvent(outcome),
      rerankHedged: ({ winner }) => onEvent(`hedge: ${winner}`),
      rerankRetried: () => {},
      rerankNodeLeftOut: () => {},
    },
  })
  const answer = reranker.rerank({ query: 'q', passages: PASSAGES, signal: noSignal() })
  return { answer, clock, reached: nodes[0].reached }
}

describe('a fleet of rerankers', () => {
  it.each<[string, JsonAnswer]>([
    ['text that is no JSON', { body: '<html>' }],
    ['scores that are NaN', { body: '[{"index":0,"score":NaN}]' }],
    ['scores beyond every number', { body: '[0,1,2,3].map' }],
    ['an infinite score', { body: `[${SCORES.map((_, index) => `{"index":${index},"score":1e999}`)}]` }],
    ['scores that are null', { body: SCORES.map((_, index) => ({ index, score: null })) }],
    ['too few scores', { body: [{ index: 0, score: 1 }] }],
    ['an index twice', { body: [0, 1, 2, 2].map(index => ({ index, score: 1 })) }],
    ['an index that is not asked for', { body: [0, 1, 2, 4].map(index => ({ index, score: 1 })) }],
    ['a negative index', { body: [0, 1, 2, -1].map(index => ({ index, score: 1 })) }],
    ['too many scores', { body: [0, 1, 2, 3, 4].map(index => ({ index, score: 1 })) }],
    ['an object', { body: { results: [] } }],
    ['a huge body', { body: `[${' '.repeat(9 * 1024 * 1024)}]` }],
    ['a wrong key', { status: 401, body: {} }],
    ['another service', { status: 404, body: {} }],
  ])('takes out a node that answers %s, and never believes it', async (_name, wrong) => {
    const { ask, events, asked } = await openFleet(() => wrong, right)
    for (let turn = 0; turn < 4; turn++) expect((await ask()).scores).toEqual(SCORES)
    expect(events).toEqual(['0 out', '0 broken', 'retry', ...Array(4).fill('1 answered')])
    expect(asked()).toEqual([1, 4])
  })

  it('probes the node after a pause that grows, and uses it again when it answers', async () => {
    const { ask, clock, events, said, asked } = await openFleet(() => ({ body: 'garbage' }), right)
    await ask()
    clock.advance(499)
    await ask()
    expect(asked()).toEqual([1, 2])
    clock.advance(1)
    await ask()
    expect(asked()).toEqual([2, 3])
    clock.advance(999)
    await ask()
    expect(asked()).toEqual([2, 4])
    clock.advance(1)
    said[0] = right
    await ask()
    await ask()
    expect(asked()).toEqual([4, 4])
    expect(events.filter(event => /out|in/u.test(event))).toEqual(['0 out', '0 in'])
  })

  it('takes a node with errors of its own out after three in a row, and after each sends the request to another', async () => {
    const { ask, events, asked } = await openFleet(() => ({ status: 424, body: {} }), right)
    for (let turn = 0; turn < 5; turn++) expect((await ask()).scores).toEqual(SCORES)
    expect(asked()).toEqual([3, 5])
    expect(events.filter(event => event === '0 out')).toHaveLength(1)
  })

  it('leaves a busy node alone for a moment, without a growing pause', async () => {
    const busy: Answer = () => ({ status: 429, headers: { 'retry-after': '7' }, body: {} })
    const { ask, clock, events, asked } = await openFleet(busy, right)
    for (let turn = 1; turn <= 5; turn++) {
      expect((await ask()).scores).toEqual(SCORES)
      expect((await ask()).scores).toEqual(SCORES)
      expect(asked()).toEqual([turn, 2 * turn])
      clock.advance(500)
    }
    expect(events).not.toContain('0 out')
  })

  it('fails with the reason when all are busy, and asks each once', async () => {
    const busy: Answer = () => ({ status: 429, body: {} })
    const { ask, asked } = await openFleet(busy, busy)
    await expect(ask()).rejects.toMatchObject({
      code: 'upstream_unavailable',
      message: expect.stringMatching('429: too many requests'),
    })
    expect(asked()).toEqual([1, 1])
    await expect(ask()).rejects.toMatchObject({
      message: expect.stringMatching(/None of the 2 endpoints.*429: too many requests/),
    })
    expect(asked()).toEqual([1, 1])
  })

  const refusing: Answer = () => ({ status: 413, body: {} })

  it('asks another node when one refuses a request, and blames none for it', async () => {
    const { ask, events } = await openFleet(refusing, right)
    for (let turn = 0; turn < 5; turn++) expect((await ask()).scores).toEqual(SCORES)
    expect(events).toEqual(Array(5).fill(['0 refused', 'retry', '1 answered']).flat())
  })

  it('gives up a request that two nodes refuse', async () => {
    const { ask, asked } = await openFleet(refusing, refusing, refusing)
    await expect(ask()).rejects.toThrow('status 413')
    expect(asked().reduce((sum, calls) => sum + calls, 0)).toBe(2)
  })

  it('sends a request that waits to a second node, takes its answer and ends the first call', async () => {
    const hung = hanging()
    const { ask, clock, events } = await openFleet(hung.answer, right)
    const answer = ask()
    await hung.reached
    clock.advance(199)
    expect(events).toEqual([])
    clock.advance(1)
    expect((await answer).scores).toEqual(SCORES)
    expect(events).toEqual(['1 answered', '0 overtaken', 'hedge: hedge'])
  })

  it('takes the first answer when it comes before that of the hedge', async () => {
    const late = deferred<void>()
    const hung = hanging()
    const events: string[] = []
    const { answer, clock, reached } = await askLateFirst(late.promise, hung.answer, event => void events.push(event))
    await reached
    clock.advance(200)
    await hung.reached
    late.resolve()
    expect((await answer).scores).toEqual(SCORES)
    expect(events).toEqual(['answered', 'given_up', 'hedge: first'])
  })

  it('waits for the first call when the node of the hedge refuses the request', async () => {
    const late = deferred<void>()
    const refused = deferred<void>()
    const onEvent = (event: string) => event === 'refused' && refused.resolve()
    const { answer, clock, reached } = await askLateFirst(late.promise, refusing, onEvent)
    await reached
    clock.advance(200)
    await refused.promise
    late.resolve()
    expect((await answer).scores).toEqual(SCORES)
  })

  it('takes out a node that hangs after three calls, which other nodes answer', async () => {
    const { ask, clock, events, said } = await openFleet(right, right)
    for (let turn = 0; turn < 40; turn++) await ask()
    for (let turn = 0; turn < 3; turn++) {
      const hung = hanging()
      said[0] = hung.answer
      const answer = ask()
      await hung.reached
      clock.advance(1_000)
      expect((await answer).scores).toEqual(SCORES)
    }
    expect(events.slice(-4)).toEqual(['1 answered', '0 out', '0 overtaken', 'hedge: hedge'])
    expect((await ask()).scores).toEqual(SCORES)
  })

  it('gives nothing at the deadline, and blames the node only when the deadline was long', async () => {
    for (const [waitedMs, blamed] of [
      [399, false],
      [400, true],
    ] as const) {
      const hung = hanging()
      const { ask, clock, events } = await openFleet(hung.answer)
      for (let turn = 0; turn < 3; turn++) {
        const deadline = new AbortController()
        const answer = ask(deadline.signal)
        await hung.reached
        await expect.poll(() => opened.at(-1)?.requests.length).toBe(turn + 1)
        clock.advance(waitedMs)
        deadline.abort(new DOMException('deadline passed', 'TimeoutError'))
        expect((await answer).scores).toEqual(PASSAGES.map(() => null))
      }
      expect(events.includes('0 out')).toBe(blamed)
    }
  })

  it('does not take the only node out for one broken answer', async () => {
    const { ask, said, asked } = await openFleet(() => ({ body: 'garbage' }))
    await expect(ask()).rejects.toThrow('answer with JSON')
    said[0] = right
    expect((await ask()).scores).toEqual(SCORES)
    expect(asked()).toEqual([2])
  })
})

describe('passages that are shared out', () => {
  it('are scored by all nodes, each passage once, in their places', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => startJsonServer(right)))
    opened.push(...nodes)
    const urls = nodes.map(({ url }) => url)
    const reranker = createHttpReranker({ urls, shape: 'tei', cacheEntries: 0 })
    const passages = Array.from({ length: 50 }, (_, at) => String(at / 50))
    const { scores } = await reranker.rerank({ query: 'q', passages, signal: noSignal() })
    expect(scores).toEqual(passages.map(Number))
    // On a busy machine, a slow node gets a hedge: another one is asked for the same part.
    const asked = nodes.flatMap(({ requests }) => requests.map(({ body }) => body.texts as string[]))
    const parts = [...new Map(asked.map(part => [part[0], part])).values()]
    expect(parts.map(({ length }) => length).sort()).toEqual([16, 17, 17])
    expect(parts.flat().sort()).toEqual([...passages].sort())
  })

  it('lose one part only when nobody can score it', async () => {
    const nodes = await Promise.all(
      [1, 2].map(() =>
        startJsonServer(body => ((body.texts as string[]).includes('0.9') ? { status: 500, body: {} } : right(body))),
      ),
    )
    opened.push(...nodes)
    const reranker = createHttpReranker({ urls: nodes.map(({ url }) => url), shape: 'tei', leastPart: 2 })
    const { scores } = await reranker.rerank({ query: 'q', passages: PASSAGES, signal: noSignal() })
    expect(scores).toEqual([null, null, 0.5, 0.7])
  })
})

describe('the probes of doctor', () => {
  it('tell for each endpoint whether it gives a score, and its model', async () => {
    const good = await startJsonServer((body, path) =>
      path === '/info'
        ? { body: { model_id: 'm@1' } }
        : { body: [{ index: 0, score: (body.texts as string[]).length }] },
    )
    const wrong = await startJsonServer(() => ({ status: 401, body: {} }))
    opened.push(good, wrong)
    const gone = await startJsonServer(right)
    await gone.close()
    const urls = [`${good.url}/rerank`, wrong.url, gone.url]
    const hosts = urls.map(url => new URL(url).host)
    expect(await probeEndpoints(urls, { shape: 'tei', apiKey: 'k' })).toEqual([
      { node: hosts[0], fault: null, model: 'm@1' },
      { node: hosts[1], fault: expect.stringContaining('status 401'), model: null },
      { node: hosts[2], fault: expect.stringContaining('cannot be reached'), model: null },
    ])
    expect(good.requests.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/rerank', 'Bearer k'],
      ['/info', 'Bearer k'],
    ])
  })
})

/** A node that answers when it is told. */
async function startRecordingNode(until: Promise<void>): Promise<JsonServer & { reached: Promise<void> }> {
  const { promise, resolve } = deferred<void>()
  const { url, close } = await startRecordingServer(async ({ body }) => {
    resolve()
    await until
    const answered = right(JSON.parse(body)) as { body: unknown }
    return { body: JSON.stringify(answered.body) }
  })
  return { url, requests: [], close, reached: promise }
}

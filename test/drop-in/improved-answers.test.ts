import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { RetrievedList } from '../../src/core/types.ts'
import { OWN_VIA } from '../../src/http/passthrough/via.ts'
import type { ChoosePointsRequest } from '../../src/pipeline/services.ts'
import { readChunk } from '../../src/qdrant/payload/read-chunk.ts'
import { exchangeBytes, readAnswer } from '../support/raw-client.ts'
import { createStage } from '../support/stage.ts'
import { choosing, chosen, serveImproving } from './support/improving.ts'
import { createScriptedQdrant, listsAnswer, ORIGINAL, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const JSON_TYPE = { 'content-type': 'application/json' }
const post = (url: string, body: string, { path = '/collections/docs/points/query', headers = {} } = {}) =>
  fetch(url + path, { method: 'POST', body, headers: { ...JSON_TYPE, ...headers } })

/** Neighbours come only with a question. */
const WITH_QUESTION = { headers: { 'x-stowage-query': 'a question' } }

/** The points of a query's answer. */
async function pointsOf(response: Response): Promise<{ id: number; score: number }[]> {
  const answer = (await response.json()) as { result: { points: { id: number; score: number }[] } }
  return answer.result.points
}

const HYBRID =
  '{"prefetch":[{"query":[0.1,5.0],"using":"dense","limit":20,"filter":{"must":[{"has_id":[18446744073709551615]}]}},{"query":{"text":"how to","model":"Qdrant/bm25"},"using":"sparse","score_threshold":1e-3,"params":{"exact":true}}],"query":{"fusion":"rrf"},"limit":3,"filter":{"must":[{"key":"n","match":{"value":5.0}}]},"with_payload":true}'

describe('what goes to Qdrant', () => {
  it('is one batch: a search per prefetch, the root filter and-ed in, every number as it was spelt', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')], []) })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    expect((await post(url, HYBRID)).status).toBe(200)
    expect(qdrant.improver.map(({ path, body }) => ({ path, body }))).toEqual([
      {
        path: '/collections/docs/points/query/batch',
        body:
          '{"searches":[{"query":[0.1,5.0],"using":"dense","filter":{"must":[{"must":[{"key":"n","match":{"value":5.0}}]},{"must":[{"has_id":[18446744073709551615]}]}]},"limit":50,"with_payload":true},' +
          '{"query":{"text":"how to","model":"Qdrant/bm25"},"using":"sparse","filter":{"must":[{"key":"n","match":{"value":5.0}}]},"params":{"exact":true},"score_threshold":1e-3,"limit":50,"with_payload":true}]}',
      },
    ])
    expect(qdrant.untouched).toEqual([])
  })

  it('carries keys, tracing, cookies and query string, and nothing that is ours', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')]) })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    const headers = {
      'api-key': 'k',
      authorization: 'Bearer t',
      'openai-api-key': 'o',
      'x-request-id': 'r',
      'x-qdrant-route-affinity': 'a',
      traceparent: '00-1',
      via: '1.1 ingress',
      'x-stowage-query': 'hello',
      cookie: 'c=1',
      'accept-encoding': 'gzip',
    }
    const path = '/collections/d%C3%A9%2Fx/points/query?timeout=7&consistency=majority'
    expect((await post(url, '{"query":[0.1],"limit":300,"offset":5}', { path, headers })).status).toBe(200)
    const [seen] = qdrant.improver
    expect(seen?.path).toBe('/collections/d%C3%A9%2Fx/points/query/batch?timeout=7&consistency=majority')
    expect(seen?.body).toBe('{"searches":[{"query":[0.1],"limit":305,"with_payload":true}]}')
    const { 'x-stowage-query': _, ...forwarded } = headers
    expect(seen?.headers).toMatchObject({
      ...forwarded,
      'accept-encoding': 'identity',
      via: `1.1 ingress, ${OWN_VIA[1]}`,
    })
    expect(seen?.headers).not.toHaveProperty('x-stowage-query')
  })

  it.each(['%2e%2e', 'public%5C..%5Csecret', 'd%c3%a9', 'a~b', "x'y"])(
    'asks for %s as the client spelt it',
    async name => {
      const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')]) })
      const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
      const body = '{"query":[0.1],"limit":1}'
      const head = `POST /collections/${name}/points/query HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
      const answer = readAnswer(await exchangeBytes(url, [`${head}\r\n\r\n${body}`]), 'POST')
      expect(answer.statusLine).toMatch(/^HTTP\/1\.1 200 /)
      expect(qdrant.improver.map(({ path }) => path)).toEqual([`/collections/${name}/points/query/batch`])
    },
  )
})

describe('what the pipeline is asked', () => {
  it('holds query text, lists with chunks, and the number of points wanted', async () => {
    const payload = '{"page_content":"body","metadata":{"doc_id":"d","order_index":2}}'
    const qdrant = createScriptedQdrant({
      lists: listsAnswer(
        [pointText('1', '0.5', payload, ',"vector":{"dense":[0.5,1.0]}')],
        [pointText('"u-u"', '7.25')],
      ),
    })
    let asked: ChoosePointsRequest | null = null
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async request => {
        asked = request
        return chosen(request.lists.flatMap(({ hits }) => hits))
      },
    })
    await post(url, HYBRID.replace('"limit":3', '"limit":3,"offset":1,"with_vector":["dense"]'))
    expect(asked).toMatchObject({
      query: 'how to',
      limit: 4,
      lists: [
        {
          source: 'prefetch[0]',
          kind: 'dense',
          hits: [
            {
              score: 0.5,
              vector: Float32Array.of(0.5, 1),
              chunk: { id: 1, collection: 'docs', docId: 'd', orderIndex: 2, text: 'body' },
            },
          ],
        },
        { source: 'prefetch[1]', kind: 'keyword', hits: [{ score: 7.25, chunk: { id: 'u-u', text: 't' } }] },
      ],
    })
  })

  it('turns distances round, for the pipeline knows only "greater is better"', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5'), pointText('2', '2.0')]) })
    let lists: RetrievedList[] = []
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async request => {
        lists = request.lists
        return chosen(request.lists.flatMap(({ hits }) => hits).reverse())
      },
    })
    const points = await pointsOf(await post(url, '{"query":[0.1]}'))
    expect(lists[0]?.hits.map(({ score }) => score)).toEqual([-0.5, -2])
    expect(points.map(({ id, score }) => [id, score])).toEqual([
      [2, 0.5],
      [1, 2],
    ])
  })
})

describe('what comes back', () => {
  const big = pointText(
    '18446744073709551615',
    '0.9',
    '{"b":5.0,"text":"x","\\u0061":[18446744073709551614, 1e2]}',
    ',"vector":[0.10,1.0],"shard_key":"s","order_value":3',
  )

  it('is Qdrant’s own shape and key order, each point of its own bytes', async () => {
    const qdrant = createScriptedQdrant({
      lists: listsAnswer([big, pointText('"5c56c793-69f3-4fbf-87e6-c4bf54c28c26"', '0.25')]),
    })
    const { url, events } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: choosing(hits => hits.reverse()),
    })
    const response = await post(url, '{"query":[0.1],"with_payload":true,"with_vector":true}')
    const text = await response.text()
    expect(text.replace(/"time":[\d.]+/, '"time":T')).toBe(
      '{"result":{"points":[{"id":"5c56c793-69f3-4fbf-87e6-c4bf54c28c26","version":3,"score":0.9,"payload":{"text":"t"}},' +
        '{"id":18446744073709551615,"version":3,"score":0.25,"payload":{"b":5.0,"text":"x","\\u0061":[18446744073709551614, 1e2]},"vector":[0.10,1.0],"shard_key":"s","order_value":3}]},"status":"ok","time":T}',
    )
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(text)),
      'x-stowage-applied': 'fuse,pack',
      'x-stowage-trace-id': 'trace-1',
      vary: 'accept-encoding',
      'x-qdrant': 'scripted',
    })
    expect(response.headers.has('x-stowage-degraded')).toBe(false)
    expect(events).toMatchObject([{ reason: null, applied: ['fuse', 'pack'], tenant: null }])
  })

  it.each([
    ['', '{"id":18446744073709551615,"version":3,"score":0.9,"vector":[0.10,1.0],"shard_key":"s","order_value":3}'],
    [
      ',"with_payload":["b"]',
      '{"id":18446744073709551615,"version":3,"score":0.9,"payload":{"b":5.0},"vector":[0.10,1.0],"shard_key":"s","order_value":3}',
    ],
    [
      ',"with_payload":{"exclude":["a"]}',
      '{"id":18446744073709551615,"version":3,"score":0.9,"payload":{"b":5.0,"text":"x"},"vector":[0.10,1.0],"shard_key":"s","order_value":3}',
    ],
  ])('has no payload but what was selected: %s', async (selector, expected) => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([big]) })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    expect(await (await post(url, `{"query":[0.1]${selector}}`)).text()).toContain(`{"points":[${expected}]}`)
  })

  it('is one result per search of a batch, and bare lists for legacy searches', async () => {
    const lists = listsAnswer([pointText('1', '0.5')], [pointText('2', '3.5')])
    const qdrant = createScriptedQdrant({ lists })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    const resultOf = async (path: string, body: string) =>
      (await (await post(url, body, { path: `/collections/docs/points/${path}` })).text()).replace(/,"status".*/, '')
    const one = '{"id":1,"version":3,"score":0.5}'
    const two = '{"id":2,"version":3,"score":3.5}'
    expect(
      await resultOf(
        'query/batch',
        '{"searches":[{"query":[0.1]},{"query":{"indices":[1],"values":[1.0]},"using":"s"}]}',
      ),
    ).toBe(`{"result":[{"points":[${one}]},{"points":[${two}]}]`)
    expect(
      await resultOf(
        'search/batch',
        '{"searches":[{"vector":[0.1],"limit":1},{"vector":{"name":"s","vector":[1]},"limit":1}]}',
      ),
    ).toBe(`{"result":[[${one}],[${two}]]`)
    expect(qdrant.improver[1]?.body).toBe(
      '{"searches":[{"query":[0.1],"limit":50,"with_payload":true},{"query":[1],"using":"s","limit":50,"with_payload":true}]}',
    )
    const single = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.5')]) })
    const { url: singleUrl } = await serveImproving(stage, await stage.listen(single.server))
    const legacy = await post(singleUrl, '{"vector":[0.1],"limit":1}', { path: '/collections/docs/points/search' })
    expect(await legacy.text()).toMatch(`{"result":[${one}],"status":"ok","time":`)
  })

  it('keeps `usage` where the server reports it, behind `time`', async () => {
    const qdrant = createScriptedQdrant({
      lists: listsAnswer([]).replace(/}$/, ',"usage":{"inference":{"models":{}}}}'),
    })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    expect(await (await post(url, '{"query":[0.1]}')).text()).toMatch(
      /"points":\[\]},"status":"ok","time":[\d.]+,"usage":\{"inference":\{"models":\{\}\}\}\}$/,
    )
  })

  it('respects a bound on fused scores, and brings no neighbours then', async () => {
    // rrf: 1 and 2 lead a list each (.5), 3 is second in both (.667), 4 is third in one (.25).
    const qdrant = createScriptedQdrant({
      lists: listsAnswer(
        [pointText('1', '0.9'), pointText('3', '0.8'), pointText('4', '0.7')],
        [pointText('2', '9.0'), pointText('3', '8.0')],
      ),
    })
    let fetchNeighbours: unknown = 'unset'
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async request => {
        fetchNeighbours = request.fetchNeighbours
        return chosen(request.lists.flatMap(({ hits }) => hits))
      },
    })
    const body =
      '{"prefetch":[{"query":[0.1],"using":"a"},{"query":[0.1],"using":"b"}],"query":{"fusion":"rrf"},"score_threshold":0.5}'
    const points = await pointsOf(await post(url, body))
    expect(points.map(({ id, score }) => [id, score])).toEqual([
      [3, 0.6666667],
      [1, 0.5],
      [2, 0.5],
    ])
    await post(url, body, WITH_QUESTION)
    expect(fetchNeighbours).toBeNull()
  })

  it('brings no neighbours where a prefetch has a bound', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.9')], [pointText('2', '9.0')]) })
    let fetchNeighbours: unknown = 'unset'
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async request => {
        fetchNeighbours = request.fetchNeighbours
        return chosen(request.lists.flatMap(({ hits }) => hits))
      },
    })
    const body = '{"prefetch":[{"query":[0.1],"score_threshold":0.5},{"query":[0.2]}],"query":{"fusion":"rrf"}}'
    await post(url, body, WITH_QUESTION)
    expect(fetchNeighbours).toBeNull()
  })

  it('ignores points that the pipeline made up, and those beyond the limit', async () => {
    const qdrant = createScriptedQdrant({
      lists: listsAnswer(['1', '2', '3'].map(id => pointText(id, `0.${9 - Number(id)}`))),
    })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: choosing(hits => [...hits.map(hit => ({ chunk: { ...hit.chunk, id: 99 } })), ...hits, ...hits]),
    })
    const points = await pointsOf(await post(url, '{"query":[0.1],"limit":2}'))
    expect(points.map(({ id }) => id)).toEqual([1, 2])
  })

  it('is empty where Qdrant found nothing', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([]) })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server))
    expect(await (await post(url, '{"query":[0.1]}')).text()).toMatch(
      /^\{"result":\{"points":\[\]\},"status":"ok","time":/,
    )
  })
})

describe('neighbours', () => {
  const place = (doc: string, index: number) => `{"metadata":{"source":${doc},"seq":${index}},"text":"t"}`

  it('are points of their own, found within root filter and any prefetch’s filter, at the worst score', async () => {
    const qdrant = createScriptedQdrant({
      lists: listsAnswer([pointText('1', '0.9', place('"a\\"b"', 3))], [pointText('2', '4.0', place('7', 1))]),
      neighbours: `{"result":{"points":[${pointText('10', '1.0', place('"a\\"b"', 4), ',"vector":[1.0]')},${pointText('1', '1.0').replace('"version":3', '"version":0')}]},"status":"ok","time":0.0}`,
    })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async ({ lists, fetchNeighbours }) => {
        const places = [
          { docId: 'a"b', orderIndex: 4 },
          { docId: 'a"b', orderIndex: 2 },
          { docId: '7', orderIndex: 2 },
          { docId: 'never seen', orderIndex: 0 },
        ]
        const fetched = (await fetchNeighbours?.(places)) ?? []
        return chosen([...fetched.map(chunk => ({ chunk })), ...lists.flatMap(({ hits }) => hits)])
      },
    })
    const body =
      '{"prefetch":[{"query":[0.1],"filter":{"must":[{"key":"t","match":{"value":1}}]}},{"query":[0.2],"filter":{"must":[{"key":"t","match":{"value":2}}]}}],"query":{"fusion":"rrf"},"filter":{"must_not":[{"key":"x","match":{"value":1.0}}]},"with_payload":["text"],"with_vector":true,"shard_key":"s"}'
    const points = await pointsOf(await post(url, body, WITH_QUESTION))
    expect(qdrant.improver[1]?.path).toBe('/collections/docs/points/query')
    expect(qdrant.improver[1]?.body).toBe(
      '{"filter":{"must":[{"must_not":[{"key":"x","match":{"value":1.0}}]},{"should":[{"must":[{"key":"t","match":{"value":1}}]},{"must":[{"key":"t","match":{"value":2}}]}]},' +
        '{"should":[{"must":[{"key":"metadata.source","match":{"value":"a\\"b"}},{"key":"metadata.seq","match":{"any":[4,2]}}]},{"must":[{"key":"metadata.source","match":{"value":7}},{"key":"metadata.seq","match":{"any":[2]}}]}]}]},' +
        '"limit":12,"with_payload":true,"with_vector":true,"shard_key":"s"}',
    )
    expect(points).toEqual([
      { id: 10, version: 3, score: 0.5, payload: { text: 't' }, vector: [1] },
      { id: 1, version: 3, score: 0.5, payload: { text: 't' } },
      { id: 2, version: 3, score: 0.5, payload: { text: 't' } },
    ])
  })

  it.each([
    ['named', 'a', ',"using":"a"'],
    ['unnamed, beside others', '', ''],
  ])('have the vector that was searched, where the client asks for vectors: %s', async (_case, name, using) => {
    const near = (id: string, vector: string) => pointText(id, '1.0', place('"d"', Number(id)), `,"vector":${vector}`)
    const points = [near('4', '{}'), near('5', `{"${name}":[1.0]}`), near('6', '{"b":[1.0]}')]
    const qdrant = createScriptedQdrant({
      lists: listsAnswer([pointText('3', '0.9', place('"d"', 3), `,"vector":{"${name}":[1.0]}`)]),
      neighbours: `{"result":{"points":[${points.join(',')}]},"status":"ok","time":0.0}`,
    })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async ({ lists, fetchNeighbours }) => {
        expect(lists[0]?.hits[0]?.vector).toEqual(Float32Array.of(1))
        const fetched = (await fetchNeighbours?.([{ docId: 'd', orderIndex: 4 }])) ?? []
        return chosen([...lists.flatMap(({ hits }) => hits), ...fetched.map(chunk => ({ chunk }))])
      },
    })
    const found = await pointsOf(await post(url, `{"query":[0.1]${using},"with_vector":true}`, WITH_QUESTION))
    expect(found.map(({ id }) => id)).toEqual([3, 5])
  })

  it('are not asked for where a collection has no places', async () => {
    const qdrant = createScriptedQdrant({ lists: listsAnswer([pointText('1', '0.9')]) })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: async ({ lists, fetchNeighbours }) => {
        expect(await fetchNeighbours?.([{ docId: '1', orderIndex: 1 }])).toEqual([])
        return chosen(lists.flatMap(({ hits }) => hits))
      },
    })
    const response = await post(url, '{"query":[0.1]}', WITH_QUESTION)
    expect(response.headers.get('x-stowage-applied')).toBe('fuse,pack')
    expect(qdrant.improver).toHaveLength(1)
  })
})

describe('every improved answer', () => {
  const id = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
    fc.integer({ min: 0, max: 12 }).map(String),
    fc.uuid().map(uuid => `"${uuid}"`),
  )
  const payload = fc.dictionary(fc.constantFrom('text', 'content', 'a', 'b', 'c'), fc.jsonValue({ maxDepth: 1 }))
  const list = fc
    .array(fc.record({ id, payload, score: fc.float({ min: -5, max: 5, noNaN: true }) }), { maxLength: 12 })
    .map(points => {
      const distinct = [...new Map(points.map(point => [point.id, point])).values()]
      return distinct.sort((a, b) => b.score - a.score)
    })
  const shape = fc.record({
    lists: fc.array(list, { minLength: 1, maxLength: 3 }),
    fused: fc.constantFrom('{"fusion":"rrf"}', '{"fusion":"dbsf"}', '{"rrf":{"k":61}}'),
    limit: fc.integer({ min: 1, max: 15 }),
    offset: fc.integer({ min: 0, max: 4 }),
    selected: fc.uniqueArray(fc.constantFrom('text', 'a', 'b'), { minLength: 1 }),
    shuffle: fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
  })

  it('holds Qdrant’s own points, each once, within the limit, scores never rising, payload keys as selected', async () => {
    let answer = listsAnswer()
    let shuffle: number[] = []
    let runs = 0
    const qdrant = createScriptedQdrant({
      lists: response => void response.writeHead(200).end(answer),
    })
    const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
      choosePoints: choosing(hits =>
        hits.map((hit, index) => ({ ...hit, at: shuffle[index % 40] ?? 0 })).sort((a, b) => a.at - b.at),
      ),
    })
    await fc.assert(
      fc.asyncProperty(shape, async drawn => {
        shuffle = drawn.shuffle
        answer = listsAnswer(
          ...drawn.lists.map(points =>
            points.map(point => pointText(point.id, JSON.stringify(point.score), JSON.stringify(point.payload))),
          ),
        )
        const prefetch = drawn.lists.map(() => '{"query":[0.1]}').join(',')
        const body = `{"prefetch":[${prefetch}],"query":${drawn.fused},"limit":${drawn.limit},"offset":${drawn.offset},"with_payload":${JSON.stringify(drawn.selected)}}`
        // A collection of its own: textless answers in a row would pause improving.
        runs += 1
        const response = await post(url, body, { path: `/collections/c${runs}/points/query` })
        const text = await response.text()
        // Of a point that was changed between two lists, the later payload counts.
        const stored = [...new Map(drawn.lists.flat().map(point => [point.id, point])).values()]
        const readable = stored.some(({ payload }) => readChunk({ id: 1, payload }, 'c').text !== '')
        expect(text === ORIGINAL).toBe(stored.length > 0 && !readable)
        if (text === ORIGINAL) return
        const ids = [...text.matchAll(/"id":("[^"]+"|\d+),"version":3/g)].map(match => match[1] ?? '')
        const known = new Map(stored.map(point => [point.id, point]))
        const found = [...known.keys()]
        expect(new Set(ids).size).toBe(ids.length)
        expect(found).toEqual(expect.arrayContaining(ids))
        expect(ids.length).toBe(Math.max(0, Math.min(drawn.limit, found.length - drawn.offset)))
        const points: { score: number; payload: object }[] = JSON.parse(text).result.points
        expect(points).toHaveLength(ids.length)
        points.forEach((point, place) => {
          expect(point.score).toBeLessThanOrEqual(points[place - 1]?.score ?? Number.POSITIVE_INFINITY)
          const stored = Object.keys(known.get(ids[place] ?? '')?.payload ?? {})
          expect(Object.keys(point.payload).sort()).toEqual(
            stored.filter(key => (drawn.selected as string[]).includes(key)).sort(),
          )
        })
      }),
      { numRuns: 80 },
    )
  })
})

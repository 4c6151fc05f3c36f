import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerArm } from '../../../src/evaluation/arms/arm.ts'
import { parseArms } from '../../../src/evaluation/arms/parse.ts'
import { type KeyOf, NO_KEYS, readServerKeys } from '../../../src/evaluation/arms/server/keys.ts'
import { withServerArms } from '../../../src/evaluation/arms/server/server-arms.ts'
import type { GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { type ReplayDependencies, type ReplayJob, replay } from '../../../src/evaluation/replay/replay.ts'
import { createReplayDependencies } from '../../../src/evaluation/replay/run.ts'
import { ingest } from '../../../src/ingest/ingest.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { ingestInto } from '../../../src/wiring/ingest.ts'
import { replayWorld } from '../../../src/wiring/replay.ts'
import { NO_MODELS } from '../../support/no-models.ts'
import { noAnswer, type Recorded, type Reply, startRecordingServer } from '../../support/recording-server.ts'
import { openStowage } from '../../support/stowage.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'
import { harbours } from '../support/harbours.ts'

const MODEL = NAMED_PLANS.measured.tokenizerModel
const CHUNK_TOKENS = 60

/** A running stowage that holds the harbours. */
async function serveHarbours(environment: Record<string, string> = {}, collection = harbours.name) {
  const stowage = await openStowage(environment)
  onTestFinished(() => stowage.close())
  await ingest(harbours.documents, ingestInto({ url: stowage.url, apiKey: null }, null, MODEL), {
    collection,
    chunkTokens: CHUNK_TOKENS,
  })
  return stowage
}

function local() {
  const notAsked = () => {
    throw new Error('not asked for')
  }
  return createReplayDependencies(
    replayWorld(NO_MODELS, MODEL, { openLive: notAsked, contexts: notAsked, contextualTwins: new Map() }),
  )
}

/** Counts words, and prepares nothing. */
const noPlans = { countTokens: (text: string) => text.split(/\s+/u).length } as ReplayDependencies

async function jobOf(changes: Partial<ReplayJob> = {}): Promise<ReplayJob> {
  const cacheFolder = temporaryFolder('stowage-arms')
  return {
    sets: [harbours],
    arms: [],
    budgets: [60, 200],
    chunkTokens: CHUNK_TOKENS,
    cacheFolder,
    limitQueries: null,
    onProgress: () => {},
    ...changes,
  }
}

const serverArm = (name: string, url: string, collection: string | null = null): ServerArm => ({
  kind: 'server',
  name,
  url,
  collection,
})
const asking = (keyOf: KeyOf = NO_KEYS, timeoutMs = 60_000) => ({ keyOf, timeoutMs })

describe('a server arm', () => {
  it('measures what the same plan measures in this process', async () => {
    const stowage = await serveHarbours({ RERANKER: 'off' })
    const arms = [...parseArms('measured:rerank.method=off', NAMED_PLANS), serverArm('served', stowage.url)]
    const report = await replay(await jobOf({ arms, limitQueries: 4 }), withServerArms(local(), asking()))
    const [plan, served] = report.arms
    expect(served).toEqual({ kind: 'server', name: 'served', plan: null, planFingerprint: null, url: stowage.url })
    const figures = report.sets[0]?.queries.map(({ arms: ofArm }) => ofArm) ?? []
    expect(figures).toHaveLength(4)
    for (const query of figures)
      for (const budget of ['60', '200']) {
        const [here, there] = [query[plan?.name ?? '']?.[budget], query.served?.[budget]]
        // The name of the collection is part of the context, and other there.
        const tokens = expect.closeTo(here?.measures.tokens ?? 0, -1)
        expect(there?.measures).toEqual({ ...here?.measures, place_recall: null, tokens })
        expect(there?.degraded).toEqual(here?.degraded)
        expect(Object.keys(there?.stageMs ?? {})).toContain('retrieve')
      }
    const recalls = figures.flatMap(query => ['60', '200'].map(budget => query.served?.[budget]?.measures.recall ?? -1))
    expect(new Set(recalls)).toEqual(new Set([0, 1]))
    expect(figures.every(query => query.served?.['200']?.measures.mrr !== null)).toBe(true)
  })

  it('tells two servers with different plans apart, and prepares nothing in this process', async () => {
    const wide = await serveHarbours()
    const narrow = await serveHarbours(
      { RETRIEVAL_K_BASE: '1', RERANKER: 'off', SECTION_REUNIFICATION: 'off' },
      'other',
    )
    await ingest(harbours.documents, ingestInto({ url: narrow.url, apiKey: null }, null, MODEL), {
      collection: harbours.name,
      chunkTokens: CHUNK_TOKENS,
    })
    const arms = [serverArm('wide', wide.url), serverArm('narrow', narrow.url)]
    const report = await replay(await jobOf({ arms, limitQueries: 3 }), withServerArms(noPlans, asking()))
    const packed = (arm: string) =>
      report.sets[0]?.queries.map(query => query.arms[arm]?.['200']?.chunkIds.length ?? 0) ?? []
    expect(packed('narrow')).toEqual([1, 1, 1])
    expect(Math.min(...packed('wide'))).toBeGreaterThan(1)
    expect(report.sets[0]).toMatchObject({ chunks: 0, embedder: null })
  })

  it('sends the filter of a query, and the key of its tenant from the file', async () => {
    const file = await openTenantsFile(declareTenants({ acme: { whole_collections: true } }))
    onTestFinished(() => file.remove())
    const seeded = await serveHarbours()
    const stowage = await openStowage({ TENANTS_FILE: file.path, QDRANT_URL: seeded.url })
    onTestFinished(() => stowage.close())
    const keys = join((await jobOf()).cacheFolder, 'keys.json')
    await writeFile(keys, JSON.stringify({ acme: 'acme', '*': 'acme' }))
    const filter = { must: [{ key: 'doc_id', match: { value: 'nowhere' } }] }
    const [plain, filtered] = [harbours.queries[0], harbours.queries[1]]
    if (!plain || !filtered) throw new Error('no queries')
    const queries = [
      { ...plain, tenant: 'acme' },
      { ...plain, id: 'again', tenant: 'acme' },
      { ...filtered, filter },
    ]
    const sets: GoldenSet[] = [{ ...harbours, queries }]
    const job = await jobOf({ sets, budgets: [200], arms: [serverArm('a', stowage.url)] })
    const report = await replay(job, withServerArms(noPlans, asking(await readServerKeys(keys))))
    expect(report.sets[0]?.queries.map(query => query.arms.a?.['200']?.measures.recall)).toEqual([1, 1, 0])
    await expect(replay(job, withServerArms(noPlans, asking()))).rejects.toThrow(/arm a: .* answered 401/)
  })

  it('says that a server does not hold the documents', async () => {
    const stowage = await serveHarbours()
    const strange: GoldenSet = {
      ...harbours,
      queries: harbours.queries.map(query => ({
        ...query,
        goldPassages: query.goldPassages.map(gold => ({
          ...gold,
          text: `Nobody has ever written number ${query.id} down.`,
        })),
      })),
    }
    const arms = [serverArm('a', stowage.url)]
    await expect(replay(await jobOf({ arms, sets: [strange] }), withServerArms(noPlans, asking()))).rejects.toThrow(
      /arm a: the collection harbours holds 0 of 8 gold passages of the set harbours/,
    )
    const elsewhere = [serverArm('a', stowage.url, 'elsewhere')]
    await expect(replay(await jobOf({ arms: elsewhere }), withServerArms(noPlans, asking()))).rejects.toThrow(
      /arm a: http.* answered 404: .*elsewhere/,
    )
  })
})

const ID = '18446744073709551557'
const CONTEXT = harbours.queries[0]?.goldPassages[0]?.text ?? ''
const answerOf = (trace: string) =>
  `{"context":${JSON.stringify(CONTEXT)},"degraded":[],"chunks":[{"id":${ID},"doc_id":"d","text":${JSON.stringify(CONTEXT)}}],"trace":${trace}}`
const TRACE = `{"duration_ms":5,"stages":[{"name":"retrieve","ms":2}],"candidates":[
  {"id":${ID},"collection":"harbours","doc_id":"d","final":0.9,"decision":"packed","reason":null},
  {"id":18446744073709551533,"collection":"harbours","doc_id":"e","final":0.95,"decision":"dropped","reason":"redundant"}]}`

/** One query on a server that answers as told. */
async function askOne(reply: (request: Recorded) => Reply, keyOf: KeyOf = NO_KEYS, timeoutMs?: number) {
  const server = await startRecordingServer(reply)
  onTestFinished(() => server.close())
  const sets = [{ ...harbours, queries: harbours.queries.slice(0, 1) }]
  const job = await jobOf({ sets, budgets: [200], arms: [serverArm('old', server.url)] })
  const { prepare } = withServerArms(noPlans, asking(keyOf, timeoutMs))
  const run = async () => {
    const report = await replay(job, { ...noPlans, prepare })
    return report.sets[0]?.queries[0]?.arms.old?.['200']
  }
  return { server, run }
}

describe('a server of another version', () => {
  const points = `{"result":[{"id":${ID},"payload":{"text":${JSON.stringify(CONTEXT)}}}]}`

  it('keeps every digit of an id of 64 bits, and reads the texts of what reached packing', async () => {
    const { server, run } = await askOne(({ path }) => ({ body: path === '/v1/context' ? answerOf(TRACE) : points }))
    const figures = await run()
    expect(figures).toMatchObject({ chunkIds: [ID], ms: 5, stageMs: { retrieve: 2 }, measures: { recall: 1, mrr: 1 } })
    const read = server.requests.find(({ path }) => path === '/collections/harbours/points')
    expect(read?.body).toContain(`"ids":[${ID}]`)
  })

  it.each([
    ['has no trace', ({ path }: Recorded) => ({ body: path === '/v1/context' ? answerOf('null') : points })],
    [
      'has a trace of another kind',
      ({ path }: Recorded) => ({ body: path === '/v1/context' ? answerOf('{"candidates":3}') : points }),
    ],
    [
      'keeps its points to itself',
      ({ path }: Recorded) => (path === '/v1/context' ? { body: answerOf(TRACE) } : { status: 403, body: '{}' }),
    ],
    [
      'has lost a point',
      ({ path }: Recorded) => ({ body: path === '/v1/context' ? answerOf(TRACE) : '{"result":[]}' }),
    ],
  ])('is measured by its contexts when it %s', async (_, reply) => {
    const figures = await (await askOne(reply)).run()
    expect(figures?.measures).toMatchObject({ recall: 1, context_recall: 1, mrr: null, ndcg_at_10: null })
  })
})

describe('a server that fails', () => {
  /** The first question is the sample of gold passages. */
  const afterTheSample = (reply: Reply) => {
    let asked = 0
    return ({ path }: Recorded): Reply =>
      path !== '/v1/context' || ++asked === 1 ? { body: path === '/v1/context' ? answerOf('null') : '{}' } : reply
  }

  it.each<[string, Reply, RegExp]>([
    ['refuses', { status: 400, body: '{"error":{"message":"unknown key trace"}}' }, /answered 400: unknown key trace/],
    ['breaks', { status: 503, body: 'overloaded' }, /answered 503: overloaded/],
    ['answers garbage', { body: '<html>hello</html>' }, /answered with what is not JSON: <html>/],
    ['is something else', { body: '{"result":true}' }, /is not a stowage: .*no valid context/],
    ['resets the connection', null, /closed the connection/],
    ['is slow', noAnswer, /did not answer within 0.2 s/],
  ])('ends the replay with set, query, arm and reason when it %s', async (_, reply, reason) => {
    const { run, server } = await askOne(afterTheSample(reply), NO_KEYS, reply === noAnswer ? 200 : undefined)
    const error = await run().then(
      () => null,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toMatch(/^set harbours, query harbours\/Aldmouth-0, arm old: /)
    expect(error?.message).toContain(server.url)
    expect(error?.message).toMatch(reason)
  })

  it('ends it at the start when nobody listens', async () => {
    const { run, server } = await askOne(() => null)
    await server.close()
    await expect(run()).rejects.toThrow(/arm old: http:\S+ cannot be reached/)
  })

  it('never shows a key, even when the server repeats it', async () => {
    const { run } = await askOne(
      ({ headers }) => ({ status: 401, body: `no such key: ${headers['api-key']}` }),
      () => 'hunter2',
    )
    const error = await run().then(
      () => null,
      (thrown: Error) => thrown,
    )
    expect(error?.message).toMatch(/answered 401: no such key: \*\*\*/)
    expect(error?.message).not.toContain('hunter2')
  })
})

describe('a file of keys', () => {
  const write = async (content: string) => {
    const path = join((await jobOf()).cacheFolder, 'keys.json')
    await writeFile(path, content)
    return path
  }

  it('has a key for each tenant, and one for all others', async () => {
    const keyOf = await readServerKeys(await write('{"acme":"one","*":"two"}'))
    expect([keyOf('acme'), keyOf('zeta'), keyOf(null)]).toEqual(['one', 'two', 'two'])
    const only = await readServerKeys(await write('{"acme":"hunter2"}'))
    expect(() => only('zeta')).toThrow(/--server-keys .*: has no key for zeta, and no "\*"/)
    expect(() => only(null)).toThrow(/no key for questions of no tenant/)
  })

  it.each(['{"acme": "hunter2"', '["hunter2"]', '{"acme": {"key": "hunter2"}}', '"hunter2"'])(
    'is refused without showing it: %s',
    async content => {
      const error = await readServerKeys(await write(content)).then(
        () => null,
        (thrown: Error) => thrown,
      )
      expect(error?.message).toMatch(/--server-keys .*keys.json: must be a JSON object/)
      expect(error?.message).not.toContain('hunter2')
    },
  )

  it('is refused when it is not there', async () => {
    await expect(readServerKeys('no/such/keys.json')).rejects.toThrow(/--server-keys no\/such\/keys.json: ENOENT/)
  })
})

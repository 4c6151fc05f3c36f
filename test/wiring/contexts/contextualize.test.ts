import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { ContextualizeTarget } from '../../../src/commands/contextualize.ts'
import { loadConfig } from '../../../src/config.ts'
import { NO_USAGE } from '../../../src/contexts/context.ts'
import { costOf } from '../../../src/contexts/spending/prices.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { createQdrantHttp, type QdrantHttp } from '../../../src/qdrant/client.ts'
import { encodeBm25Document } from '../../../src/text/qdrant-bm25.ts'
import { environmentOf } from '../../../src/wiring/contexts/contextualize.ts'
import { pointsOf, rawPoints, temporaryFolder } from '../../contextualize/support/live-world.ts'
import { countTokens } from '../../support/ingest-world.ts'
import { type Reply, startRecordingServer } from '../../support/recording-server.ts'
import { send } from '../../support/send.ts'

let engine: EmbeddedServer
let http: QdrantHttp
let place: ReturnType<typeof temporaryFolder>
beforeAll(async () => {
  engine = await startEmbeddedServer()
  http = createQdrantHttp(engine.url)
})
afterAll(async () => {
  await http.close()
  await engine.close()
})
beforeEach(() => {
  place = temporaryFolder()
})
afterEach(() => place.remove())

const ANSWER = { message: { content: 'The valve belongs to the plant.' }, finish_reason: 'stop' }

/** A collection without dense vectors: no embedder is needed. */
async function createSparse(collection: string, ids: readonly number[]): Promise<void> {
  await send(engine.url, 'PUT', `/collections/${collection}`, { sparse_vectors: { sparse: { modifier: 'idf' } } })
  const points = ids.map(id => {
    const text = `The valve ${id} of ${collection} opens at ${id + 7} bar.`
    return { id, payload: { doc_id: 'a', order_index: id, text }, vector: { sparse: encodeBm25Document(text) } }
  })
  await send(engine.url, 'PUT', `/collections/${collection}/points?wait=true`, { points })
}

type Target = Partial<ContextualizeTarget> & { collection: string }

function open(target: Target, settings: Readonly<Record<string, string>> = {}) {
  const config = loadConfig({ EMBEDDER: 'none', CONTEXT_STATE_FOLDER: place.folder, ...settings })
  const given: ContextualizeTarget = { context: 'rules', onlyPayload: false, ...target }
  return environmentOf(config, given, { http, apiKey: null })
}

async function run(target: Target, settings: Readonly<Record<string, string>> = {}) {
  return (await open(target, settings)).run(() => {}, new AbortController().signal)
}

async function rollBack(collection: string) {
  return (await open({ collection })).rollBack(() => {}, new AbortController().signal)
}

describe('a copy with contexts', () => {
  it('is refused in the place of a collection of others, whose points it would remove', async () => {
    await createSparse('docs', [1, 2, 3])
    await createSparse('faq', [2, 3, 4, 5])
    const before = await rawPoints(engine.url, 'faq')
    await expect(run({ collection: 'docs', into: 'faq' })).rejects.toThrow('they would be lost')
    expect(await rawPoints(engine.url, 'faq')).toBe(before)
    // What stowage made is taken up again, also after the source has changed as a whole, and only for the same source.
    expect(await run({ collection: 'docs', into: 'docs-2' })).toMatchObject({ stored: 3, left: 0 })
    await send(engine.url, 'POST', '/collections/docs/points/payload?wait=true', { payload: { seen: 1 }, filter: {} })
    expect(await run({ collection: 'docs', into: 'docs-2' })).toMatchObject({ stored: 3, left: 0 })
    await expect(run({ collection: 'faq', into: 'docs-2' })).rejects.toThrow('they would be lost')
    expect(await pointsOf(engine.url, 'docs-2')).toHaveLength(3)
  })

  it('is refused under another name of its source, which stays as it is', async () => {
    await createSparse('blue', [1, 2])
    const actions = [{ create_alias: { alias_name: 'live', collection_name: 'blue' } }]
    await send(engine.url, 'POST', '/collections/aliases', { actions })
    const before = await rawPoints(engine.url, 'blue')
    await expect(run({ collection: 'blue', into: 'live' })).rejects.toThrow('are the same collection')
    await expect(run({ collection: 'live', into: 'blue' })).rejects.toThrow('are the same collection')
    expect(await rawPoints(engine.url, 'blue')).toBe(before)
  })
})

const GOOD =
  'Of the limited plant, whose valve 1 opens at 8 bar, valve 2 at 9 bar, valve 3 at 10 bar and valve 4 at 11 bar, in the order of the numbers.'

describe('a model that asks to wait', () => {
  it('is asked again by the next run, for the contexts that the rules wrote in its place and for no others', async () => {
    await createSparse('limited', [1, 2, 3, 4])
    let isWaiting = true
    let asked = 0
    const endpoint = await startRecordingServer(({ body }): Reply => {
      asked += 1
      if (isWaiting && /valve [12] of/u.test(body.slice(body.lastIndexOf('The valve'))))
        return { status: 429, headers: { 'retry-after-ms': '1' }, body: '{"error":{"message":"slow down"}}' }
      return {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ choices: [{ message: { content: GOOD } }] }),
      }
    })
    const settings = { CONTEXT_MODEL: 'm', CONTEXT_BASE_URL: endpoint.url, CONTEXT_CONCURRENCY: '1' }
    const again = () => run({ collection: 'limited', context: 'openai' }, settings)
    const writers = async () =>
      (await pointsOf(engine.url, 'limited')).map(({ payload }) => payload.context_model as string)
    expect(await again()).toMatchObject({ stored: 4, fallbacks: 2, postponed: 2, left: 0 })
    expect(await writers()).toEqual(['rules', 'rules', 'm', 'm'])
    isWaiting = false
    asked = 0
    expect(await again()).toMatchObject({ before: 2, stored: 2, fallbacks: 0, postponed: 0, left: 0 })
    expect(asked).toBe(2)
    expect(await writers()).toEqual(['m', 'm', 'm', 'm'])
    expect(await again()).toMatchObject({ before: 4, stored: 0 })
    expect(asked).toBe(2)
    await endpoint.close()
  })
})

describe('contexts of the payload only', () => {
  it('are seen by the vectors after a later run, which asks no model for them, and are rolled back from both', async () => {
    await createSparse('seen', [1, 2, 3])
    const before = await pointsOf(engine.url, 'seen')
    let asked = 0
    const endpoint = await startRecordingServer(() => {
      asked += 1
      const body = JSON.stringify({ choices: [{ message: { content: GOOD.replaceAll('limited', 'seen') } }] })
      return { headers: { 'content-type': 'application/json' }, body }
    })
    const settings = { CONTEXT_MODEL: 'm', CONTEXT_BASE_URL: endpoint.url }
    const target = { collection: 'seen', context: 'openai' as const }
    expect(await run({ ...target, onlyPayload: true }, settings)).toMatchObject({ stored: 3, left: 0 })
    const first = await pointsOf(engine.url, 'seen')
    expect(first.map(({ vector }) => vector)).toEqual(before.map(({ vector }) => vector))
    const askedBefore = asked
    expect(await run({ ...target, onlyPayload: true }, settings)).toMatchObject({ before: 3, stored: 0 })
    expect(await run(target, settings)).toMatchObject({ before: 0, stored: 3, left: 0 })
    expect(asked).toBe(askedBefore)
    const after = await pointsOf(engine.url, 'seen')
    for (const { payload, vector } of after)
      expect(vector.sparse).toMatchObject({
        indices: encodeBm25Document(`${payload.context}\n${payload.text}`).indices,
      })
    const contexts = (points: typeof after) => points.map(({ payload }) => [payload.context, payload.context_quality])
    expect(contexts(after)).toEqual(contexts(first))
    expect(await run({ ...target, onlyPayload: true }, settings)).toMatchObject({ before: 3, stored: 0 })
    expect(await rollBack('seen')).toMatchObject({ restored: 3, encoded: 0, payloadOnly: 0 })
    expect(await pointsOf(engine.url, 'seen')).toEqual(before)
    await run({ ...target, onlyPayload: true }, settings)
    expect(await rollBack('seen')).toMatchObject({ restored: 0, encoded: 0, payloadOnly: 3 })
    expect(await pointsOf(engine.url, 'seen')).toEqual(before)
    await endpoint.close()
  })
})

describe('a budget', () => {
  it('is kept with a long prompt, and with a model that counts its thoughts', async () => {
    await createSparse('priced', [1, 2, 3])
    const endpoint = await startRecordingServer(({ body }) => {
      const { messages, ...sent } = JSON.parse(body) as { messages: { content: string }[] }
      if ('max_tokens' in sent) return { status: 400, body: '{"error":{"param":"max_tokens","message":"max_tokens"}}' }
      const usage = { prompt_tokens: countTokens(messages[0]?.content ?? ''), completion_tokens: 1_000 }
      return { headers: { 'content-type': 'application/json' }, body: JSON.stringify({ choices: [ANSWER], usage }) }
    })
    const file = (name: string, text: string): string => {
      writeFileSync(join(place.folder, name), text)
      return join(place.folder, name)
    }
    const model = { CONTEXT_MODEL: 'm', CONTEXT_BASE_URL: endpoint.url, CONTEXT_CONCURRENCY: '1' }
    const spend = async (budgetUsd: number, price: object, more: Readonly<Record<string, string>>) => {
      const CONTEXT_PRICES_FILE = file('prices.json', JSON.stringify({ m: price }))
      const target = { collection: 'priced', context: 'openai' as const, budgetUsd }
      const { spending, stoppedBy } = await run(target, { ...model, CONTEXT_PRICES_FILE, ...more })
      expect(stoppedBy).toBe('budget')
      return costOf(spending.m?.usage ?? NO_USAGE, { input: 0, cached: 0, cacheWritten: 0, output: 0, ...price })
    }
    const prompt = file('prompt.txt', `${'Mind the valves. '.repeat(1_000)}{{document}} {{chunk}}`)
    expect(await spend(3, { input: 1_000, output: 0 }, { CONTEXT_PROMPT_FILE: prompt })).toBeLessThanOrEqual(3)
    expect(await spend(0.9, { input: 0, output: 1_000 }, {})).toBeLessThanOrEqual(0.9)
    await endpoint.close()
  })
})

import { appendFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openLiveCollection } from '../../src/adapters/contextualize/live-collection.ts'
import { resultText, samplesText } from '../../src/commands/contextualize/report.ts'
import { NO_USAGE } from '../../src/contexts/context.ts'
import { createPromptBuilder } from '../../src/contexts/prompt/prompt.ts'
import { coverageOf } from '../../src/contextualize/report/coverage.ts'
import { estimate } from '../../src/contextualize/report/estimate.ts'
import { type SampledContext, sampleContexts } from '../../src/contextualize/report/sample.ts'
import { type Budget, createBudget, worstCaseOf } from '../../src/contextualize/state/budget.ts'
import { PendingContexts } from '../../src/contextualize/state/pending-contexts.ts'
import { dollarsOf } from '../../src/contextualize/state/spending.ts'
import { openState, spendingIn } from '../../src/contextualize/state/state-folder.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { createQdrantHttp, type QdrantHttp } from '../../src/qdrant/client.ts'
import { countTokens } from '../support/ingest-world.ts'
import {
  contextOf,
  createCollection,
  fakeWriter,
  NO_PARTITION,
  rawPoints,
  rollBackOnce,
  runOnce,
  seedPoints,
  temporaryFolder,
} from './support/live-world.ts'

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

const PRICE = { input: 1_000, cached: 100, cacheWritten: 1_000, output: 1_000 }
const live = (collection: string) => ({
  ...{ collection: openLiveCollection({ http, apiKey: null, collection }), partition: NO_PARTITION },
  ...{ rules: fakeWriter({ endpoint: null }), mustStay: async () => new Set<string>() },
})

async function sampleOnce(
  dependencies: Omit<Parameters<typeof sampleContexts>[0], 'state'>,
  count: number,
  seed: number,
): Promise<SampledContext[]> {
  const state = openState(place.folder, () => () => {})
  try {
    return await sampleContexts({ ...dependencies, state }, { count, seed }, new AbortController().signal)
  } finally {
    state.close()
  }
}

describe('a budget', () => {
  it('is never passed, over runs with the same state, and stops with what it stored', async () => {
    await createCollection(engine.url, 'budget', await seedPoints({ a: 30 }))
    const spent = () => dollarsOf(spendingIn(place.folder), () => PRICE) ?? 0
    const runWith = (limit: number) => {
      // A call takes 110 tokens, which cost 11 cents.
      const worstCase = worstCaseOf({ ...PRICE, input: 100, cacheWritten: 100, output: 1_000 }, () => 700, 150)
      return runOnce(engine.url, 'budget', place.folder, {
        budget: createBudget(limit, spent, worstCase),
        writer: fakeWriter({ concurrency: 1 }),
      })
    }
    const first = await runWith(1.5)
    expect(first.stoppedBy).toBe('budget')
    expect(first.stored).toBeGreaterThan(0)
    expect(spent()).toBeLessThanOrEqual(1.5)
    expect(await runWith(1.5)).toMatchObject({ stoppedBy: 'budget', stored: 0 })
    const last = await runWith(100)
    expect(last).toMatchObject({ stoppedBy: null, left: 0, stored: 30 - first.stored })
    expect(last.spending['fake-model']).toMatchObject({ contexts: 30, calls: 30 })
  })
})

describe('the result of a run', () => {
  it('counts the contexts of the rules among those that this run stored, also after a rollback', async () => {
    await createCollection(engine.url, 'fallen', await seedPoints({ a: 6 }))
    const failing = fakeWriter({
      write: async request => ({ ...contextOf(request), fallback: 'endpoint_failed' as const }),
    })
    const first = await runOnce(engine.url, 'fallen', place.folder, { writer: failing })
    expect(first).toMatchObject({ stored: 6, fallbacks: 6 })
    expect(resultText('fallen', { ...first, warnings: [] }, 0)).toContain('  6 of the stored contexts are of the rules')
    await rollBackOnce(engine.url, 'fallen', place.folder)
    const second = await runOnce(engine.url, 'fallen', place.folder)
    expect(second).toMatchObject({ stored: 6, fallbacks: 0 })
    expect(second.spending['fake-model']).toMatchObject({ contexts: 12, fallbacks: 6 })
    expect(resultText('fallen', { ...second, warnings: [] }, 0)).not.toContain('of the rules')
  })
})

describe('spending', () => {
  it('counts what arrived before the end of a process once, also with a torn last line', async () => {
    const path = `${place.folder}/spending.jsonl`
    const request = {
      document: { docId: 'a', title: '', text: 'abc', lang: null },
      chunk: { sectionPath: '', text: 'abc', start: 0 },
    }
    const killed = new PendingContexts(path)
    for (const key of ['a', 'b', 'c']) killed.add(key, fakeWriter(), contextOf(request))
    killed.checkpoint(['a'])
    killed.add('d', fakeWriter(), contextOf(request))
    appendFileSync(path, '{"key":"e","mod')
    for (let opened = 0; opened < 3; opened++) {
      const contexts = new PendingContexts(path)
      expect(contexts.spending['fake-model']).toMatchObject({
        contexts: 4,
        usage: { ...NO_USAGE, input: 400, output: 40 },
      })
      expect(['a', 'b', 'c', 'd', 'e'].filter(key => contexts.find(key) !== null)).toEqual(['b', 'c', 'd'])
      contexts.close()
    }
  })
})

describe('looking without writing', () => {
  it('estimates the tokens of what is left, and shows samples by their seed', async () => {
    await createCollection(engine.url, 'looked', await seedPoints({ a: 12, b: 4 }))
    const before = await rawPoints(engine.url, 'looked')
    const writer = fakeWriter()
    const prompts = { prompt: createPromptBuilder({ countTokens }), shortestCached: 100, countTokens }
    const known = await estimate({ ...live('looked'), writer }, prompts)
    expect(known).toMatchObject({ points: 16, left: 16, documents: 2, withoutText: 0 })
    // Each document is read anew once, and from the cache for its other chunks.
    expect(known.usage.cached).toBeGreaterThan(known.usage.cacheWritten * 5)
    // An endpoint that caches no prompt of this length reads all of them anew.
    const { usage } = await estimate({ ...live('looked'), writer }, { ...prompts, shortestCached: 1_024 })
    const { cached, cacheWritten, input, output } = known.usage
    expect(usage).toEqual({ ...NO_USAGE, input: input + cached + cacheWritten, output })
    expect(writer.asked).toEqual([])
    const draw = (seed: number, budget: Budget | null = null) =>
      sampleOnce({ ...live('looked'), writer, budget }, 5, seed)
    const [first, same, other] = [await draw(1), await draw(1), await draw(2)]
    expect(first).toHaveLength(5)
    expect(new Set(first.map(({ id }) => id)).size).toBe(5)
    expect(same).toEqual(first)
    expect(other).not.toEqual(first)
    // They are paid for once: a second look takes them from the state, and so does the run. A budget ends a look, too.
    const asked = writer.asked.length
    expect(asked).toBe(new Set([...first, ...other].map(({ id }) => id)).size)
    expect(spendingIn(place.folder)['fake-model']).toMatchObject({ contexts: asked, calls: asked })
    expect(await draw(1, () => null)).toEqual(first)
    const cut = await draw(3, () => null)
    expect(cut.length).toBeLessThan(5)
    expect(samplesText(cut, 5)).toContain(`${cut.length} of 5: there are no more chunks, or the budget is used up`)
    expect(samplesText(first, 5)).not.toContain('budget')
    expect(await rawPoints(engine.url, 'looked')).toBe(before)
    await runOnce(engine.url, 'looked', place.folder, { writer })
    expect(writer.asked).toHaveLength(16)
    expect(await draw(1)).toEqual(first)
    expect(await coverageOf(live('looked').collection)).toEqual({
      ...{ points: 16, withoutText: 0, withContext: 16, outdated: 0, tokens: 16 * 9 },
      ...{ byModel: { 'fake-model': 16 }, byQuality: { '0.6': 16 } },
    })
  })
})

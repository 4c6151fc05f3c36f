import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countOf } from '../../../src/core/collections.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { seededRandom } from '../../../src/statistics/seeded-random.ts'
import { encodeBm25Document } from '../../../src/text/qdrant-bm25.ts'
import { rawPoints, temporaryFolder } from '../../contextualize/support/live-world.ts'
import { type LlmServer, startLlmServer } from '../../support/llm-server.ts'
import { send } from '../../support/send.ts'
import { createCommands, STOWAGE } from '../../support/stowage-process.ts'

const { run, runUntil } = createCommands({ node: process.execPath, script: STOWAGE })

const DOCUMENTS = 50
const CHUNKS_EACH = 20
const POINTS = DOCUMENTS * CHUNKS_EACH
const KILLS = 20
const BATCH = 100

let engine: EmbeddedServer
const place = temporaryFolder()
beforeAll(async () => {
  engine = await startEmbeddedServer()
})
afterAll(async () => {
  await engine.close()
  place.remove()
})

/** Each fault hits so many requests, by their prompts: the same ones in every run. */
const FAULTS = {
  slow: 0.02,
  tooMany: 0.02,
  serverError: 0.02,
  cut: 0.02,
  refusal: 0.02,
  wrongLanguage: 0.02,
  empty: 0.02,
}

const startModel = () =>
  startLlmServer({
    faults: FAULTS,
    latencyMs: 2,
    retryAfter: '0.001',
    // A context that passes the check says what the document says and the chunk does not.
    answer: ({ document, chunk }) => {
      const others = document.split(/\n+/u).filter(line => line.startsWith('In hall') && !chunk.includes(line))
      const valves = others
        .slice(0, 3)
        .map(line => line.replace(/^In hall \d+ the /u, '').replace('of the pumping station ', ''))
      return `Valves of one hall of the pumping station: of each valve the document says at how many bar of pressure it opens and closes. Beside it, ${valves.join(' ')}`
    },
  })

async function fill(collection: string): Promise<void> {
  await send(engine.url, 'PUT', `/collections/${collection}`, { sparse_vectors: { sparse: { modifier: 'idf' } } })
  const points = Array.from({ length: POINTS }, (_, at) => {
    const [document, order] = [Math.floor(at / CHUNKS_EACH), at % CHUNKS_EACH]
    const text = `In hall ${document} the valve number ${order} of the pumping station opens at ${at + 10} bar of pressure and closes again at ${at + 3} bar.`
    const payload = { doc_id: `hall-${document}`, order_index: order, text }
    return { id: at + 1, payload, vector: { sparse: encodeBm25Document(text) } }
  })
  await send(engine.url, 'PUT', `/collections/${collection}/points?wait=true`, { points })
}

const lineFor = (collection: string) => [
  ...['contextualize', '--collection', collection, '--context', 'openai', '--url', engine.url, '--json'],
  ...['--state', `${place.folder}/${collection}`],
]
const environmentFor = (model: LlmServer) => ({
  CONTEXT_MODEL: 'test-model',
  CONTEXT_BASE_URL: `${model.url}/v1`,
  EMBEDDER: 'none',
})

const askedOf = (model: LlmServer) => countOf(model.stats().requests.map(({ prompt }) => prompt))

describe('contextualizing with a model that misbehaves', { timeout: 600_000 }, () => {
  it(`killed ${KILLS} times, ends in the collection of an undisturbed run, and repeats little`, async () => {
    await fill('quiet')
    const quietModel = await startModel()
    const quiet = await run(lineFor('quiet'), environmentFor(quietModel))
    expect(quiet.err.replace(/^contexts .*$/gmu, '').trim()).toBe('')
    expect(JSON.parse(quiet.out)).toMatchObject({ stored: POINTS, left: 0, points: POINTS })
    const expected = await rawPoints(engine.url, 'quiet')
    expect(expected.match(/"context_model":"test-model"/gu)?.length).toBeGreaterThan(POINTS / 2)
    const undisturbed = askedOf(quietModel)
    const total = quietModel.stats().requests.length
    await quietModel.close()

    await fill('killed')
    const model = await startModel()
    const random = seededRandom(11)
    const moments = Array.from({ length: KILLS }, () => Math.floor(random() * total * 0.95)).sort((a, b) => a - b)
    for (const moment of moments) {
      const { code } = await runUntil(
        lineFor('killed'),
        () => model.stats().requests.length >= moment,
        environmentFor(model),
      )
      expect(code).toBeNull()
      // What the killed process had sent may still arrive.
      await pause(Math.floor(random() * 60))
    }
    const last = await run(lineFor('killed'), environmentFor(model))
    expect(JSON.parse(last.out)).toMatchObject({ left: 0, points: POINTS })
    expect(await rawPoints(engine.url, 'killed')).toBe(expected)
    const repeated = [...askedOf(model)].reduce(
      (sum, [prompt, count]) => sum + Math.max(0, count - (undisturbed.get(prompt) ?? 0)),
      0,
    )
    console.log(`${total} requests undisturbed; ${repeated} repeated after ${KILLS} kills`)
    expect(repeated).toBeLessThanOrEqual(KILLS * BATCH)
    await model.close()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCrossEncoder, openLogitModel } from '../../../src/adapters/models/cross-encoder.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { ingest } from '../../../src/ingest/ingest.ts'
import { ingestInto } from '../../../src/wiring/ingest.ts'
import { chunksOf, readIsharoth } from '../../bench/world.ts'
import { noSignal, SHIPPED_RERANKER, TINY_CROSS_ENCODER } from '../../support/model-folders.ts'
import { openStowage, type Stowage } from '../../support/stowage.ts'
import { startListening } from '../../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../../support/timeouts.ts'

type Node = Awaited<ReturnType<typeof startListening>>

const KEY = 'a-key-of-the-fleet'
/** No deadline is met by accident. */
const PATIENT = { RERANK_DEADLINE_MS: '60000', STOWAGE_DROPIN: 'passthrough' }
const startNode = (model: string) =>
  startListening(['rerank-server', '--port', '0', '--workers', '1', '--model', model], {
    RERANK_SERVER_API_KEY: KEY,
    LOG_LEVEL: 'error',
  })

let engine: EmbeddedServer
let questions: string[]
let passages: string[]
const running = new Set<{ stop(signal: NodeJS.Signals): Promise<unknown> }>()

beforeAll(async () => {
  const golden = await readIsharoth()
  questions = golden.queries.map(({ query }) => query)
  passages = chunksOf(golden).map(({ text }) => text)
  engine = await startEmbeddedServer()
  const target = ingestInto({ url: engine.url, apiKey: null }, null, 'gpt-4o')
  await ingest(golden.documents, target, { collection: 'isharoth' })
}, CHILD_PROCESS_MS)
afterAll(async () => {
  await Promise.all([...running].map(node => node.stop('SIGKILL')))
  await engine.close()
})

async function startNodes(model = TINY_CROSS_ENCODER): Promise<[Node, Node]> {
  const nodes = await Promise.all([startNode(model), startNode(model)])
  for (const node of nodes) running.add(node)
  return nodes
}

/** A stowage whose reranker is a fleet, in front of the common engine. */
async function openInFrontOf(nodes: readonly Node[]) {
  const stowage = await openStowage({
    ...PATIENT,
    QDRANT_URL: engine.url,
    RERANKER: 'http',
    RERANK_SHAPE: 'tei',
    RERANK_URL: nodes.map(({ url }) => `${url}/rerank`).join(', '),
    RERANK_API_KEY: KEY,
  })
  const metrics = async () => {
    const { text } = await stowage.send('GET', '/v1/metrics')
    return (series: string) =>
      Number(
        text
          .split('\n')
          .find(line => line.startsWith(`${series} `))
          ?.split(' ')
          .at(-1),
      )
  }
  return { ...stowage, metrics }
}

const hostOf = ({ url }: Node) => new URL(url).host
const ask = (stowage: Pick<Stowage, 'ask'>, query = '') =>
  stowage.ask({ query, collection: 'isharoth', budget_tokens: 800 })
type Answered = Awaited<ReturnType<typeof ask>>
/** Degradations of an answer, without the ones that the setting causes: there is no embedder. */
const rerankFaults = ({ json }: Answered) => json.degraded.filter(({ code }) => code.startsWith('rerank'))

describe('a fleet of rerank servers', { timeout: CHILD_PROCESS_MS }, () => {
  it('gives the same contexts, scores and confidence as the local model', async () => {
    const nodes = await startNodes(SHIPPED_RERANKER)
    const fleet = await openInFrontOf(nodes)
    // A fleet cannot tell which sentence matches, so that the words choose what is left of a chunk that is cut.
    const words = { PACKING_SENTENCE_CHOICE: 'words' }
    const local = await openStowage({ ...PATIENT, ...words, QDRANT_URL: engine.url, RERANKER: 'crossencoder' })
    try {
      for (const question of questions.filter((_, at) => at % 62 === 0)) {
        const [here, there] = [await ask(local, question), await ask(fleet, question)]
        const { trace_id: _here, ...ofLocal } = here.json
        const { trace_id: _there, ...ofFleet } = there.json
        expect(ofFleet).toEqual(ofLocal)
        expect(there.json.chunks.length).toBeGreaterThan(0)
        expect(there.json.chunks.some(({ relevance_kind }) => relevance_kind === 'reranker')).toBe(true)
      }
      const read = await fleet.metrics()
      // On a busy machine, hedges overtake some calls of the slower one.
      for (const node of nodes)
        expect(read(`stowage_rerank_node_calls_total{node="${hostOf(node)}",outcome="answered"}`)).toBeGreaterThan(0)

      // The logits are those of the local model, too.
      const some = passages.slice(0, 12)
      const model = await openLogitModel({ model: SHIPPED_RERANKER, workers: 1 })
      const logits = await model.score(questions[0] ?? '', some, noSignal(), null)
      const answer = await fetch(`${nodes[0].url}/rerank`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}` },
        body: JSON.stringify({ query: questions[0], texts: some, raw_scores: true }),
      })
      const ranks = (await answer.json()) as { index: number; score: number }[]
      expect(ranks.map(({ score }) => score)).toEqual([...logits].sort((one, other) => Number(other) - Number(one)))
      for (const { index, score } of ranks) expect(score).toBe(logits[index])
      const whole = await createCrossEncoder({ model: SHIPPED_RERANKER, workers: 1 })
      const { scores } = await whole.rerank({ query: questions[0] ?? '', passages: some, signal: noSignal() })
      expect(logits.map(logit => model.relevanceOf(Number(logit)))).toEqual(scores)
      await Promise.all([model.close(), whole.close()])
    } finally {
      await Promise.all([fleet.close(), local.close()])
    }
    // SIGTERM ends a server without an error, also while others go on.
    expect(await nodes[0].stop('SIGTERM')).toMatchObject({ code: 0, err: '' })
    expect(await nodes[1].stop('SIGINT')).toMatchObject({ code: 0, err: '' })
  })

  it('goes on with one server when the other is killed under load, and without a reranker when both are', async () => {
    const [first, second] = await startNodes()
    const fleet = await openInFrontOf([first, second])
    try {
      const waiting = questions.slice(0, 24)
      const answers: Answered[] = []
      let killed: Promise<unknown> | null = null
      const client = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          answers.push(await ask(fleet, next))
          if (answers.length === 8) killed = first.stop('SIGKILL')
        }
      }
      await Promise.all([1, 2, 3, 4].map(client))
      await killed
      expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200))
      expect(answers.flatMap(rerankFaults)).toEqual([])
      const read = await fleet.metrics()
      expect(read(`stowage_rerank_node_left_out{node="${hostOf(first)}"}`)).toBe(1)
      expect(read(`stowage_rerank_node_left_out{node="${hostOf(second)}"}`)).toBe(0)
      // On a slow machine, a call that fails may have a hedge already.
      const again = read('stowage_rerank_retries_total') + read('stowage_rerank_hedges_total{winner="hedge"}')
      expect(again).toBeGreaterThan(0)

      await second.stop('SIGKILL')
      // On a slow machine, a server that was left out is tried again in between.
      const details: string[] = []
      for (const question of questions.slice(50, 56)) {
        const answer = await ask(fleet, question)
        expect(answer.status).toBe(200)
        expect(answer.json.chunks.length).toBeGreaterThan(0)
        const fault = { code: 'reranker_failed', detail: expect.stringMatching(/cannot be|can be used now/u) }
        expect(rerankFaults(answer)).toEqual([fault])
        details.push(...rerankFaults(answer).map(({ detail }) => detail))
      }
      expect(details.join('\n')).toContain('None of the 2 endpoints')
    } finally {
      await fleet.close()
    }
  })

  it('uses a server that was left out because it was slow, at once, when the other one is killed', async () => {
    const [first, second] = await startNodes()
    const fleet = await openInFrontOf([first, second])
    try {
      first.signal('SIGSTOP')
      let next = 100
      const leftOut = async () => (await fleet.metrics())(`stowage_rerank_node_left_out{node="${hostOf(first)}"}`)
      while ((await leftOut()) === 0) expect(rerankFaults(await ask(fleet, questions[next++]))).toEqual([])
      first.signal('SIGCONT')
      await second.stop('SIGKILL')
      for (const question of questions.slice(next, next + 4))
        expect(rerankFaults(await ask(fleet, question))).toEqual([])
    } finally {
      await fleet.close()
    }
  })

  it('is not slowed down by a server that hangs, and uses it again when it goes on', async () => {
    const [first, second] = await startNodes()
    const fleet = await openInFrontOf([first, second])
    try {
      for (const question of questions.slice(60, 66)) expect(rerankFaults(await ask(fleet, question))).toEqual([])
      first.signal('SIGSTOP')
      const asked = questions.slice(66, 78)
      for (const question of asked) {
        const answer = await ask(fleet, question)
        expect([answer.status, rerankFaults(answer)]).toEqual([200, []])
      }
      const stopped = await fleet.metrics()
      expect(stopped('stowage_rerank_hedges_total{winner="hedge"}')).toBeGreaterThanOrEqual(3)
      expect(stopped(`stowage_rerank_node_left_out{node="${hostOf(first)}"}`)).toBe(1)
      expect(stopped(`stowage_rerank_node_calls_total{node="${hostOf(first)}",outcome="overdue"}`)).toBe(0)
      first.signal('SIGCONT')
      let next = 78
      await expect
        .poll(
          async () => {
            await ask(fleet, questions[next++])
            return (await fleet.metrics())(`stowage_rerank_node_left_out{node="${hostOf(first)}"}`)
          },
          { timeout: 60_000, interval: 200 },
        )
        .toBe(0)
    } finally {
      await fleet.close()
    }
  })
})

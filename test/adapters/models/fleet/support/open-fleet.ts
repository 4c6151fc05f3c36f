import { afterEach } from 'vitest'
import { createHttpReranker } from '../../../../../src/adapters/models/http-reranker.ts'
import type { RerankReports } from '../../../../../src/observe/reports/rerank.ts'
import { createManualClock } from '../../../../drop-in/support/manual-clock.ts'
import { deferred } from '../../../../support/deferred.ts'
import { type JsonAnswer, type JsonServer, startJsonServer } from '../../../../support/json-server.ts'
import { noSignal } from '../../../../support/model-folders.ts'

export type Answer = (body: Record<string, unknown>) => JsonAnswer

export const opened: JsonServer[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map(server => server.close()))
})

/** Each passage is its own score, so an order is right or wrong. */
export const right: Answer = body => ({
  body: (body.texts as string[]).map((text, index) => ({ index, score: Number(text) })),
})
export const PASSAGES = ['0.1', '0.9', '0.5', '0.7']
export const SCORES = PASSAGES.map(Number)

/** A fleet of nodes that answer as told. The first call of a request goes to node 0 while both are idle. */
export async function openFleet(...answers: Answer[]) {
  const said = [...answers]
  const nodes = await Promise.all(answers.map((_, at) => startJsonServer(body => said[at]?.(body) ?? 'never')))
  opened.push(...nodes)
  const clock = createManualClock()
  const events: string[] = []
  const ended = new Set<() => void>()
  const name = (host: string) => nodes.findIndex(({ url }) => url.endsWith(host))
  const observer: RerankReports = {
    rerankNodeCalled: ({ node, outcome }) => {
      events.push(`${name(node)} ${outcome}`)
      for (const tell of ended) tell()
    },
    rerankHedged: ({ winner }) => void events.push(`hedge: ${winner}`),
    rerankRetried: () => void events.push('retry'),
    rerankNodeLeftOut: ({ node, leftOut }) => void events.push(`${name(node)} ${leftOut ? 'out' : 'in'}`),
  }
  const urls = nodes.map(({ url }) => `${url}/rerank`)
  const reranker = createHttpReranker({
    urls,
    shape: 'tei',
    cacheEntries: 0,
    leastPart: Number.POSITIVE_INFINITY,
    observer,
    now: clock.now,
    startTimer: clock.after,
    random: () => 0,
  })
  const ask = (signal = noSignal()) => reranker.rerank({ query: 'q', passages: PASSAGES, signal })
  return { ask, clock, events, nodes, said, asked: () => nodes.map(({ requests }) => requests.length) }
}

/** Resolves when a node has got a call that it does not answer. */
export function hanging() {
  const { promise, resolve } = deferred<void>()
  const answer: Answer = () => {
    resolve()
    return 'never'
  }
  return { reached: promise, answer }
}

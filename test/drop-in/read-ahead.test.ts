import { afterEach, describe, expect, it } from 'vitest'
import type { Reranker } from '../../src/core/ports.ts'
import type { ImproveDependencies } from '../../src/drop-in/route.ts'
import type { Caller } from '../../src/pipeline/caller.ts'
import { createPrepareQuestion } from '../../src/pipeline/choose-points.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { PipelinePorts } from '../../src/pipeline/services.ts'
import { createStage } from '../support/stage.ts'
import { createHeldQdrant } from './support/held-qdrant.ts'
import { serveImproving } from './support/improving.ts'
import { listsAnswer, pointText } from './support/scripted-qdrant.ts'

const stage = createStage()
afterEach(() => stage.close())

const VECTOR = '{"query":[0.1],"limit":1}'
const TWO = `{"searches":[{"query":{"text":"first","model":"m"}},{"query":{"text":"second","model":"m"}},${VECTOR}]}`

/** Asks, and tells which questions were prepared when Qdrant had the search, and had not answered it. */
async function preparedBefore(
  body: string,
  headers: Record<string, string> = {},
  overrides: Partial<ImproveDependencies> = {},
): Promise<string[]> {
  const qdrant = createHeldQdrant()
  const prepared: string[] = []
  const { url } = await serveImproving(stage, await stage.listen(qdrant.server), {
    prepareQuestion: question => prepared.push(question),
    ...overrides,
  })
  const path = `/collections/docs/points/query${body === TWO ? '/batch' : ''}`
  const json = { 'content-type': 'application/json' }
  const answer = fetch(url + path, { method: 'POST', body, headers: { ...json, ...headers } })
  const call = await qdrant.next()
  const before = [...prepared]
  const point = [pointText('1', '0.5')]
  call.answer({ body: body === TWO ? listsAnswer(point, point, point) : listsAnswer(point) })
  expect((await answer).headers.get('x-stowage-applied')).toBe('fuse,pack')
  expect(prepared).toEqual(before)
  return before
}

describe('the question of a search is prepared before Qdrant has answered', () => {
  it('when it is in the header', async () => {
    expect(await preparedBefore(VECTOR, { 'x-stowage-query': 'how%20deep' })).toEqual(['how deep'])
  })

  it('when the relay knows it', async () => {
    expect(await preparedBefore(VECTOR, {}, { findQuestion: async () => 'who asks' })).toEqual(['who asks'])
  })

  it('for each search of a batch that has one', async () => {
    expect(await preparedBefore(TWO)).toEqual(['first', 'second'])
  })

  it('unless nobody knows it', async () => {
    expect(await preparedBefore(VECTOR)).toEqual([])
  })
})

describe('a prepared question', () => {
  const caller = { tenant: { name: 'acme' } } as Caller
  const decision = (plan = NAMED_PLANS.measured) => decideByConfiguration(plan)({ tenant: null, sessionId: null })

  function preparedBy(reranker: Partial<Reranker> | null) {
    const ports = { reranker } as unknown as PipelinePorts
    return createPrepareQuestion({ ports })
  }

  it('is read by the reranker as the question of its tenant, at most as long as a question is', () => {
    const asked: unknown[] = []
    const prepare = preparedBy({ prepare: (...question) => asked.push(question) })
    prepare('how deep', decision(), caller)
    prepare('x'.repeat(100_000), decision(), { ...caller, tenant: null })
    expect(asked).toEqual([
      ['how deep', 'acme'],
      ['x'.repeat(8192), null],
    ])
  })

  it('is left alone by a plan that does not rerank, without a reranker, and by one that reads nothing ahead', () => {
    const asked: unknown[] = []
    const off = overridePlan(NAMED_PLANS.measured, { rerank: { method: 'off' } })
    preparedBy({ prepare: question => asked.push(question) })('how deep', decision(off), caller)
    preparedBy(null)('how deep', decision(), caller)
    preparedBy({})('how deep', decision(), caller)
    expect(asked).toEqual([])
  })
})

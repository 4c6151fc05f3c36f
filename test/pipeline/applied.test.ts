import { describe, expect, it } from 'vitest'
import type { RetrievedList } from '../../src/core/types.ts'
import type { CallerTenant } from '../../src/pipeline/caller.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan, type PlanOverrides } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import { chunk } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts } from '../support/fake-ports.ts'

/** A plan in which every step is off. */
const NOTHING: PlanOverrides = {
  fusion: { candidateBm25: false },
  dedupe: { containment: null },
  rerank: { method: 'off', topK: null },
  answerability: { bonus: 0 },
  reunification: { enabled: false },
  diversity: { mmrAlpha: null },
}
const TEXTS = ['The harbour tide is 4 m.', 'A ledger of salt and rope.', 'Bells ring at dusk on the north quay.']
const list = (source: string, ids: number[]): RetrievedList => ({
  source,
  kind: 'dense',
  hits: ids.map((id, index) => ({
    score: 1 - index / 10,
    chunk: chunk({ id, docId: `doc-${id}`, orderIndex: 0, text: TEXTS[id] ?? TEXTS[0] ?? '' }),
  })),
})

const decided = (plan: Plan) => decideByConfiguration(plan)({ tenant: null, sessionId: null })

async function appliedWith(overrides: PlanOverrides, over: { lists?: RetrievedList[]; limit?: number } = {}) {
  const reranker = { rerank: async () => ({ scores: [0.1, 0.9, 0.2], cached: 0 }) }
  const plan = overridePlan(overridePlan(NAMED_PLANS.measured, NOTHING), overrides)
  const choosePoints = createChoosePoints(dependencies(fakePorts({ reranker })))
  const { lists = [list('prefetch[0]', [0, 1, 2])], limit = 3 } = over
  const request = {
    collection: 'docs',
    query: 'How high is the harbour tide?',
    lists,
    limit,
    fetchNeighbours: null,
    sessionId: null,
    decision: decided(plan),
  }
  return (await choosePoints(request, CALLER)).applied
}

describe('x-stowage-applied', () => {
  it('is empty when no step changed the points', async () => {
    expect(await appliedWith({})).toEqual([])
  })

  it.each<[string, PlanOverrides, Parameters<typeof appliedWith>[1]]>([
    ['fuse', {}, { lists: [list('prefetch[0]', [0, 1, 2]), list('prefetch[1]', [2, 1, 0])] }],
    ['dedupe', { dedupe: { containment: 0.9 } }, { lists: [list('prefetch[0]', [0, 1, 2, 7])], limit: 9 }],
    ['rerank', { rerank: { method: 'crossencoder' } }, {}],
    ['answerability', { answerability: { bonus: 0.1 } }, {}],
    ['reunify', { reunification: { enabled: true } }, {}],
    ['diversify', { rerank: { topK: 2 } }, {}],
    ['pack', {}, { limit: 2 }],
  ])('names %s alone when only that step changed them', async (step, overrides, over) => {
    expect(await appliedWith(overrides, over)).toEqual([step])
  })

  it('leaves out a reranker whose share is 0', async () => {
    expect(await appliedWith({ rerank: { method: 'crossencoder', blend: 0 } })).toEqual([])
  })

  it('says nothing of a missing reranker whose share is 0', async () => {
    const plan = overridePlan(NAMED_PLANS.measured, { rerank: { blend: 0 } })
    const choosePoints = createChoosePoints(dependencies(fakePorts()))
    const lists = [list('prefetch[0]', [0, 1])]
    const request = {
      collection: 'docs',
      query: 'tide',
      lists,
      limit: 2,
      fetchNeighbours: null,
      sessionId: null,
      decision: decided(plan),
    }
    const { degraded } = await choosePoints(request, CALLER)
    expect(degraded).toEqual([])
  })
})

describe('the plan of a tenant', () => {
  it('decides how its points are chosen', async () => {
    const configured = overridePlan(NAMED_PLANS.measured, NOTHING)
    const recording = dependencies(fakePorts())
    const decide = decideByConfiguration(configured)
    const choosePoints = createChoosePoints(recording)
    const request = {
      collection: 'docs',
      query: 'How high?',
      lists: [list('prefetch[0]', [0, 1, 2, 7])],
      limit: 9,
      fetchNeighbours: null,
      sessionId: null,
    }
    const tenant = { name: 'acme', reaches: () => true, condition: null }
    const plan = overridePlan(configured, { dedupe: { containment: 0.9 } })
    const applied = async (asking: CallerTenant) => {
      const decision = decide({ tenant: asking, sessionId: null })
      return (await choosePoints({ ...request, decision }, { ...CALLER, tenant: asking })).applied
    }
    expect(await applied(tenant)).toEqual([])
    expect(await applied({ ...tenant, plan })).toEqual(['dedupe'])
    expect(recording.recorded.map(trace => [trace.tenant, trace.plan.dedupe.containment])).toEqual([
      ['acme', null],
      ['acme', 0.9],
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const QUERY = 'Which office did the actress of the film Harbour Lights hold?'
/** In the order of the search. The answer shares no word with the question, and comes last. */
const PASSAGES = [
  ['Harbour Lights', 'Harbour Lights is a film. Ada Quill is the actress of its title role.'],
  ['Harbour Weather', 'The harbour is calm at noon, and so are the gulls.'],
  ['Ice and Snow', 'A film of ice lies on the oars.'],
  ['Ada Quill', 'She became warden of the salt ledger in 1931, and kept it for nine years.'],
] as const
const lists = keywordLists(
  PASSAGES.map(([docTitle, text], at) => ({
    // The first one is far better than the others.
    score: at === 0 ? 4 : 1.2 - at / 20,
    chunk: chunk({ id: at, docId: `doc-${at}`, docTitle, sectionPath: docTitle, header: '', text }),
  })),
)
const off = overridePlan(NAMED_PLANS.measured, { reunification: { mentionShare: 0 } })

describe('a passage that the best one names', () => {
  const answerOf = (plan: Plan) => {
    const ports = fakePorts({ store: scriptedStore(lists), embedder: null })
    const pipeline = createPackContext(dependencies(ports, { plan }))
    return pipeline({ query: QUERY, collection: 'docs', budget_tokens: 60, trace: true }, CALLER)
  }
  const contextOf = async (plan: Plan) => (await answerOf(plan)).context

  it('is in a context that has room for two passages', async () => {
    expect(await contextOf(NAMED_PLANS.measured)).toContain('warden of the salt ledger')
    expect(await contextOf(off)).not.toContain('warden of the salt ledger')
  })

  it('is as relevant as the passage that names it, so that it is no filler', async () => {
    const { chunks } = await answerOf(overridePlan(NAMED_PLANS.measured, { packing: { fill: 'relevant' } }))
    const [naming, named] = [0, 3].map(id => chunks.find(one => one.id === id))
    expect(named).toMatchObject({ relevance: naming?.relevance, relevance_kind: 'mention' })
  })

  it('has the passage that names it in the trace', async () => {
    const { trace } = await answerOf(NAMED_PLANS.measured)
    const raised = trace?.candidates.filter(({ mention }) => mention !== undefined)
    expect(raised).toMatchObject([{ id: 3, mention: { by: 0 } }])
    // The best passage has a value near 1.
    expect(raised?.[0]?.mention?.gain).toBeGreaterThan(0.5 * NAMED_PLANS.measured.reunification.mentionShare)
  })

  it('is among the first two points of a search', async () => {
    const chosen = async (plan: Plan) => {
      const choosePoints = createChoosePoints(dependencies(fakePorts()))
      const decision = decideByConfiguration(plan)({ tenant: null, sessionId: null })
      const request = {
        collection: 'docs',
        query: QUERY,
        lists,
        limit: 2,
        fetchNeighbours: null,
        sessionId: null,
        decision,
      }
      return (await choosePoints(request, CALLER)).chosen.map(({ chunk: { id } }) => id)
    }
    expect(await chosen(NAMED_PLANS.measured)).toEqual([0, 3])
    expect(await chosen(off)).not.toContain(3)
  })
})

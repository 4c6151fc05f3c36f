import { describe, expect, it } from 'vitest'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { traceSchema } from '../../src/pipeline/trace/schema.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const RULE = 'Hang your brass tag on the hook of the machine before the tide turns.'
const texts = [
  `${RULE} The harbour tide rises twice on every single day.`,
  RULE,
  `${RULE} Nobody counts the oars at night.`,
]
const lists = keywordLists(
  texts.map((text, at) => ({ score: 3 - at, chunk: chunk({ id: at, docId: `doc-${at}`, text }) })),
)
const plan = overridePlan(NAMED_PLANS.measured, {
  dedupe: { containment: null },
  packing: { repetition: 'context' },
})

describe('packing.repetition', () => {
  it('leaves out what is packed, and the trace names the candidate that holds it', async () => {
    const ports = fakePorts({ store: scriptedStore(lists), embedder: null })
    const pipeline = createPackContext(dependencies(ports, { plan }))
    const { context, trace } = await pipeline({ query: 'harbour tide', collection: 'docs', trace: true }, CALLER)
    expect(context.split('brass tag')).toHaveLength(2)
    expect(context).toContain('Nobody counts the oars at night.')
    const { candidates } = traceSchema.parse(trace)
    const dropped = candidates.filter(({ decision }) => decision === 'dropped')
    expect(dropped).toMatchObject([
      { id: 1, reason: 'duplicate', evidence: { similarity: 1, detail: 'its sentences are packed' } },
    ])
    expect(dropped[0]?.evidence?.of).toMatch(/^docs\/[02]$/u)
  })

  it('drops no point of a search, because points are given whole', async () => {
    const choosePoints = createChoosePoints(dependencies(fakePorts()))
    const decision = decideByConfiguration(plan)({ tenant: null, sessionId: null })
    const request = {
      collection: 'docs',
      query: 'harbour tide',
      lists,
      limit: 3,
      fetchNeighbours: null,
      sessionId: null,
      decision,
    }
    const { chosen } = await choosePoints(request, CALLER)
    expect(chosen.map(({ chunk: { id } }) => id).sort()).toEqual([0, 1, 2])
  })
})

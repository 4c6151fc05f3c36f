import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { PassageStore } from '../../src/core/ports.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { traceSchema } from '../../src/pipeline/trace/schema.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'
import { tenantOfName } from '../support/tenants.ts'

const sentences = ['The harbour tide rises.', 'The harbour tide falls.', 'The harbour tide turns.']
const text = sentences.join(' ')
const parent = chunk({ id: 'parent', orderIndex: null, charStart: 0, charEnd: text.length, text })
const children = sentences.map((sentence, at) => {
  const charStart = text.indexOf(sentence)
  const place = { orderIndex: at, charStart, charEnd: charStart + sentence.length }
  return chunk({ id: at, ...place, text: sentence, parentId: 'parent' })
})
const lists = keywordLists(children.slice(0, 2).map((child, at) => ({ score: 2 - at, chunk: child })))
const plan = overridePlan(NAMED_PLANS.measured, {
  packing: { parentExpansion: 0.5 },
  reunification: { enabled: false },
  dedupe: { containment: null },
})
const answer = async (store: PassageStore, over: { filter?: object } = {}, own = plan) => {
  const pipeline = createPackContext(dependencies(fakePorts({ store, embedder: null }), { plan: own }))
  const tenant = tenantOfName('acme')
  const response = await pipeline(
    { query: 'harbour tide', collection: 'docs', trace: true, ...(over as object) },
    { ...CALLER, tenant },
  )
  return { ...response, trace: traceSchema.parse(response.trace), tenant }
}

describe('packing.parentExpansion', () => {
  it('packs the parent of two found chunks, and the trace accounts for all three', async () => {
    const { context, chunks, trace, degraded } = await answer(scriptedStore(lists, [], [parent]))
    expect(context).toBe(`[1] Doc > Section\n${text}\n`)
    expect(chunks).toMatchObject([{ id: 'parent', text, order_index: 0, citation: '[1]' }])
    expect(chunks[0]?.relevance).toBeGreaterThan(0)
    const of = { of: 'docs/parent' }
    expect(trace.candidates.map(({ id, origin, reason, evidence }) => ({ id, origin, reason, evidence }))).toEqual([
      { id: 'parent', origin: 'parent', reason: null, evidence: null },
      { id: 0, origin: 'retrieved', reason: 'replaced_by_parent', evidence: of },
      { id: 1, origin: 'retrieved', reason: 'replaced_by_parent', evidence: of },
    ])
    expect(trace.counts).toEqual({ retrieved: 3, packed: 1, dropped: 2 })
    expect(trace.recall_proxy).toBe(1)
    expect(trace.stages.map(({ name }) => name)).toContain('parents')
    expect(degraded.map(({ code }) => code)).not.toContain('parents_unavailable')
  })

  it('reads the parents of all candidates at once, by the filter of the request and the condition of the tenant', async () => {
    const filter = { must: [{ key: 'lang', match: { value: 'en' } }] }
    const asked: unknown[] = []
    const store = scriptedStore(lists, [], [parent])
    const watched: PassageStore = {
      ...store,
      fetchParents: (collection, ids, given, call) => {
        asked.push({ collection, ids, filter: given, condition: call.condition })
        return store.fetchParents(collection, ids, given, call)
      },
    }
    const { tenant } = await answer(watched, { filter })
    expect(asked).toEqual([{ collection: 'docs', ids: ['parent'], filter, condition: tenant.condition }])
    await answer(watched, {}, NAMED_PLANS.measured)
    expect(asked).toHaveLength(1)
  })

  it('packs the chunks themselves when parents cannot be fetched, and says so', async () => {
    const failing: PassageStore = {
      ...scriptedStore(lists),
      fetchParents: () => Promise.reject(new StowageError('upstream_unavailable', 'Qdrant is away')),
    }
    const { chunks, degraded } = await answer(failing)
    expect(chunks.map(({ id }) => id)).toEqual([0, 1])
    expect(degraded).toContainEqual({ code: 'parents_unavailable', detail: 'Qdrant is away' })
  })
})

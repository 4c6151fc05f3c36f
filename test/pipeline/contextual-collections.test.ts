import { describe, expect, it } from 'vitest'
import { StowageError } from '../../src/core/errors.ts'
import type { PassageStore } from '../../src/core/ports.ts'
import type { Caller } from '../../src/pipeline/caller.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import type { Plan } from '../../src/pipeline/plan/plan.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts } from '../support/fake-ports.ts'
import { tenantOfName } from '../support/tenants.ts'

const contextual = overridePlan(NAMED_PLANS.measured, { retrieval: { contextual: true } })
const contextualTwins = new Map([['docs', 'docs-contextual']])

/** A store with these collections; it keeps what was searched. */
function storeWith(...collections: string[]): PassageStore & { searched: string[] } {
  const searched: string[] = []
  return {
    searched,
    search: async ({ collection }) => {
      searched.push(collection)
      if (!collections.includes(collection))
        throw new StowageError('collection_not_found', `Not found: Collection \`${collection}\` doesn't exist!`)
      const hits = [{ score: 1, chunk: chunk({ id: 1, collection, text: `The tide in ${collection}.` }) }]
      return { lists: keywordLists(hits), missing: [] }
    },
    fetchPlaces: async () => [],
    fetchParents: async () => [],
  }
}

const answer = (
  store: PassageStore,
  { plan = contextual, tenant = CALLER.tenant }: { plan?: Plan; tenant?: Caller['tenant'] } = {},
) =>
  createPackContext(dependencies(fakePorts({ store, embedder: null }), { plan, contextualTwins }))(
    { query: 'the tide', collection: ['docs', 'other'] },
    { ...CALLER, tenant },
  )

describe('collections with contexts', () => {
  it('are searched instead of those that they stand for, when the plan says so', async () => {
    const store = storeWith('docs', 'docs-contextual', 'other')
    const { chunks } = await answer(store)
    expect(store.searched.sort()).toEqual(['docs-contextual', 'other'])
    expect(chunks.map(({ collection }) => collection).sort()).toEqual(['docs-contextual', 'other'])
  })

  it('are left alone by other plans', async () => {
    const store = storeWith('docs', 'docs-contextual', 'other')
    await answer(store, { plan: NAMED_PLANS.measured })
    expect(store.searched.sort()).toEqual(['docs', 'other'])
  })

  it('may be gone: the plain one is searched, and the answer says so', async () => {
    const store = storeWith('docs', 'other')
    const { chunks, degraded } = await answer(store)
    expect(chunks.map(({ collection }) => collection).sort()).toEqual(['docs', 'other'])
    expect(degraded).toContainEqual({
      code: 'contexts_missing',
      detail: 'docs-contextual does not exist; docs was searched',
    })
  })

  it('are not read for a tenant that does not reach them', async () => {
    const store = storeWith('docs', 'docs-contextual', 'other')
    const tenant = { ...tenantOfName('acme'), reaches: (name: string) => name !== 'docs-contextual' }
    await answer(store, { tenant })
    expect(store.searched.sort()).toEqual(['docs', 'other'])
  })
})

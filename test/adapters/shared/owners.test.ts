import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { scopeOf } from '../../../src/relay/scopes.ts'
import { createInProcessStore } from '../../support/in-process-store.ts'
import { answerOf, openReplica } from './support/replica.ts'

/** Who asks what of which stowage. The names are chosen so that joining them would mix them up. */
const owner = fc.record({
  tenant: fc.option(fc.constantFrom('a', 'a/b', 'null', '')),
  apiKey: fc.option(fc.constantFrom('k', 'b/k', 'null')),
  deployment: fc.constantFrom('http://one', 'http://two'),
  build: fc.constantFrom('1', '2'),
})
type Owner = typeof owner extends fc.Arbitrary<infer Value> ? Value : never

const VECTOR = Array.from({ length: 80 }, (_, at) => Math.sin(at + 1))

function partsOf({ tenant, apiKey }: Owner, query: string) {
  const nothing = { condition: null, filter: null, collections: ['docs'], planFingerprint: 'p', models: [] }
  return { ...nothing, tenant, apiKey, request: { query } }
}

function asScope({ tenant, apiKey }: Owner): string {
  return scopeOf({ tenant: tenant === null ? null : { name: tenant }, apiKey })
}

test('nobody ever gets what another tenant, key, deployment or build stored, whatever both ask', async () => {
  await fc.assert(
    fc.asyncProperty(owner, owner, fc.string({ unit: 'grapheme' }), async (one, other, query) => {
      const store = createInProcessStore()
      const [a, b] = [openReplica(store, one), openReplica(store, other)]
      a.answers.put((await a.answers.key(partsOf(one, query))) ?? '', answerOf('mine'))
      await a.scores.keep({ model: 'm', query, tenant: one.tenant }, new Map([['passage', 0.5]]))
      a.questions.remember(asScope(one), VECTOR, 'my question')
      const done = (kind: string) => a.used.some(use => use.operation === 'write' && use.kind === kind)
      await vi.waitFor(() => expect(['answers', 'pairs', 'questions'].every(done)).toBe(true), { interval: 0 })

      const isSame = (...parts: (keyof Owner)[]) => parts.every(part => one[part] === other[part])
      const answer = await b.answers.get((await b.answers.key(partsOf(other, query))) ?? '')
      expect(answer !== null).toBe(isSame('tenant', 'apiKey', 'deployment', 'build'))
      const scores = await b.scores.find({ model: 'm', query, tenant: other.tenant }, ['passage', 'other'])
      expect(scores).toEqual([isSame('tenant', 'deployment', 'build') ? 0.5 : null, null])
      const { text } = await b.questions.find([asScope(other)], VECTOR)
      const isSameAsker = one.tenant === null ? isSame('tenant', 'apiKey') : isSame('tenant')
      expect(text).toBe(isSameAsker && isSame('deployment') ? 'my question' : null)
    }),
    { numRuns: 150 },
  )
})

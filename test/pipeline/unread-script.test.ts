import { describe, expect, it } from 'vitest'
import type { Reranker } from '../../src/core/ports.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const lists = keywordLists([
  { score: 4, chunk: chunk({ id: 1, text: '管理员可以重置密码。然后请再次登录。' }) },
  { score: 2, chunk: chunk({ id: 2, docId: 'other', text: '每年春天检查船的龙骨。' }) },
])
const plan = NAMED_PLANS.measured

/** A reranker that prefers the last passage, and does not read Chinese. It notes what it is asked. */
function readerOfLatin() {
  const asked: string[] = []
  const reranker: Partial<Reranker> = {
    model: 'reader-of-latin',
    reads: query => !/\p{Script=Han}/u.test(query),
    prepare: () => asked.push('prepare'),
    rerank: async ({ passages }) => {
      asked.push('rerank')
      return { scores: passages.map((_, at) => at / passages.length), cached: 0 }
    },
    matchParts: async ({ passages }) => {
      asked.push('matchParts')
      return passages.map(() => null)
    },
  }
  return { asked, ports: fakePorts({ store: scriptedStore(lists), embedder: null, reranker }) }
}

describe('a question in a script that the reranker was not made for', () => {
  it('is answered without it, and the answer says so and is not called unanswerable', async () => {
    const { asked, ports } = readerOfLatin()
    const pack = createPackContext(dependencies(ports, { plan }))
    const answer = await pack({ query: '如何重置密码？', collection: 'docs', budget_tokens: 4 }, CALLER)
    expect(asked).toEqual([])
    expect(answer.degraded).toContainEqual({ code: 'rerank_script_unread', detail: 'reader-of-latin' })
    expect(answer.answerable.verdict).not.toBe('not_in_documents')
    const all = await pack({ query: '如何重置密码？', collection: 'docs', budget_tokens: 400 }, CALLER)
    expect(all.chunks.map(({ id }) => id)).toEqual([1, 2])
  })

  it('is not said of other questions', async () => {
    const { asked, ports } = readerOfLatin()
    const pack = createPackContext(dependencies(ports, { plan }))
    const answer = await pack({ query: 'reset a password', collection: 'docs' }, CALLER)
    expect(asked.slice(0, 2)).toEqual(['prepare', 'rerank'])
    expect(answer.degraded.map(({ code }) => code)).not.toContain('rerank_script_unread')
  })

  it('keeps the order of a search, too', async () => {
    const { asked, ports } = readerOfLatin()
    const decision = decideByConfiguration(plan)({ tenant: null, sessionId: null })
    const request = {
      collection: 'docs',
      query: '如何重置密码？',
      lists,
      limit: 1,
      fetchNeighbours: null,
      sessionId: null,
      decision,
    }
    const { chosen } = await createChoosePoints(dependencies(ports))(request, CALLER)
    expect([asked, chosen.map(({ chunk: { id } }) => id)]).toEqual([[], [1]])
  })
})

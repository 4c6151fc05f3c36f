import { describe, expect, it } from 'vitest'
import type { Reranker } from '../../src/core/ports.ts'
import type { RetrievedList } from '../../src/core/types.ts'
import { createChoosePoints } from '../../src/pipeline/choose-points.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { decideByConfiguration } from '../../src/pipeline/plan/decision.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const listsOf = (...texts: string[]) =>
  keywordLists(texts.map((text, at) => ({ score: 4 - at, chunk: chunk({ id: at + 1, docId: `doc-${at}`, text }) })))
const CHINESE = listsOf('管理员可以重置密码。然后请再次登录。', '每年春天检查船的龙骨。')
const GERMAN = listsOf(
  'Der Schlüssel wird auf dem Server abgelegt und ist für die Anmeldung nötig, wenn man ihn nicht hat.',
  'Die Häuser an der Küste sind alt, und nur in wenigen von ihnen wird im Winter noch geheizt.',
)
const ENGLISH = listsOf(
  'The key is kept on the server, and you need it for the login.',
  'The houses at the coast are old.',
)
const MIXED = listsOf(
  'Der Schlüssel wird auf dem Server abgelegt und ist für die Anmeldung nötig, wenn man ihn nicht hat.',
  'The key is kept on the server, and you need it for the login of the day.',
)
const plan = NAMED_PLANS.measured

/** A reranker that prefers the last passage, and reads English. It notes what it is asked. */
function readerOfEnglish(lists: RetrievedList[]) {
  const asked: string[] = []
  const reranker: Partial<Reranker> = {
    model: 'reader-of-english',
    languages: ['en'],
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

async function askAbout(lists: RetrievedList[], query: string, budget_tokens: number) {
  const { asked, ports } = readerOfEnglish(lists)
  const pack = createPackContext(dependencies(ports, { plan }))
  return { asked, answer: await pack({ query, collection: 'docs', budget_tokens }, CALLER) }
}
const UNREAD = { code: 'rerank_language_unread', detail: 'the reranker reads en' }

describe('a reranker that was not made for the language', () => {
  it.each([
    ['of the passages', GERMAN, 'Schlüssel ablegen'],
    ['of the passages', CHINESE, '密码'],
    ['of the question', ENGLISH, 'Wo wird der Schlüssel auf dem Server abgelegt, wenn man ihn nicht hat?'],
  ])('%s is not asked, and the answer says so and is not called unanswerable: %#', async (_of, lists, query) => {
    const cut = await askAbout(lists, query, 12)
    expect([cut.asked, cut.answer.degraded]).toEqual([[], expect.arrayContaining([UNREAD])])
    expect(cut.answer.answerable.verdict).not.toBe('not_in_documents')
    const whole = await askAbout(lists, query, 400)
    expect(whole.answer.chunks.map(({ id }) => id)).toEqual([1, 2])
  })

  it.each([
    ['English', ENGLISH, 'Where is the key kept?'],
    ['half of the passages in English', MIXED, 'key'],
    ['a language that cannot be told', listsOf('key = 1', 'lock = 2'), 'key'],
  ])('is told from %s', async (_of, lists, query) => {
    const { asked, answer } = await askAbout(lists, query, 400)
    expect(asked[0]).toBe('rerank')
    expect(answer.degraded.map(({ code }) => code)).not.toContain(UNREAD.code)
  })

  it('keeps the order of a search, too', async () => {
    const { asked, ports } = readerOfEnglish(CHINESE)
    const request = {
      collection: 'docs',
      query: '如何重置密码？',
      lists: CHINESE,
      limit: 1,
      fetchNeighbours: null,
      sessionId: null,
      decision: decideByConfiguration(plan)({ tenant: null, sessionId: null }),
    }
    const { chosen } = await createChoosePoints(dependencies(ports))(request, CALLER)
    expect([asked, chosen.map(({ chunk: { id } }) => id)]).toEqual([[], [1]])
  })
})

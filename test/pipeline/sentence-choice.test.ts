import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { MatchPartsRequest, Reranker } from '../../src/core/ports.ts'
import { Pace, RANKING_GRACE_MS } from '../../src/pipeline/pacing/pace.ts'
import { createPackContext } from '../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../src/pipeline/plan/override-plan.ts'
import { sentenceMatches } from '../../src/pipeline/rerank/sentence-matches.ts'
import { RunRecord } from '../../src/pipeline/run-record.ts'
import { candidate, chunk, keywordLists } from '../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../support/fake-ports.ts'

const SENTENCES = [
  'The pump of the harbour is old and stands in the hall.',
  'The keeper of the pump is asleep by day.',
  'Brass is cleaned with vinegar and a dry cloth.',
  'The pump of the harbour is loud at night.',
  'It was made by two brothers.',
]
const QUERY = 'How old is the pump of the harbour?'

const listOf = (texts: string[]) =>
  keywordLists(
    texts.map((text, at) => ({
      score: 10 - at,
      chunk: chunk({ id: at + 1, docId: `doc ${at}`, docTitle: 'Pumps', sectionPath: '', orderIndex: 0, text }),
    })),
  )

const scores = async ({ passages }: { passages: string[] }) => ({
  scores: passages.map((_, at) => 0.9 - at / 100),
  cached: 0,
})
const vinegarAnswers = async ({ passages }: MatchPartsRequest) =>
  passages.map(({ text, parts }) => parts.map(({ start, end }) => (text.slice(start, end).includes('vinegar') ? 9 : 0)))

async function ask(reranker: Partial<Reranker>, over: { budget?: number; texts?: string[]; overrides?: object } = {}) {
  const { budget = 30, texts = [SENTENCES.join(' ')], overrides = {} } = over
  // So long that a pause of the machine ends no step.
  const plan = overridePlan(overridePlan(NAMED_PLANS.measured, { rerank: { deadlineMs: 60_000 } }), overrides)
  const ports = fakePorts({
    store: scriptedStore(listOf(texts)),
    embedder: { embedQuery: async () => new Float32Array([1, 0, 0]) },
    reranker: { rerank: scores, ...reranker },
  })
  return createPackContext(dependencies(ports, { plan }))(
    { query: QUERY, collection: 'docs', budget_tokens: budget, trace: true },
    CALLER,
  )
}

describe('the choice of the sentences of a chunk that does not fit', () => {
  it('is that of the reranker, which sees the passage that it scored', async () => {
    const asked: MatchPartsRequest[] = []
    const matchParts = async (request: MatchPartsRequest) => {
      asked.push(request)
      return vinegarAnswers(request)
    }
    const { context, tokens, trace } = await ask({ matchParts })
    expect(context).toContain('vinegar')
    expect(tokens).toBeLessThanOrEqual(30)
    expect(asked).toHaveLength(1)
    const [{ text = '', parts = [] } = {}] = asked[0]?.passages ?? []
    expect(text.startsWith('Pumps\n')).toBe(true)
    expect(parts.map(({ start, end }) => text.slice(start, end).trim())).toEqual(SENTENCES)
    const [traced] = trace?.candidates ?? []
    const inChunk = SENTENCES.join(' ')
    expect(traced?.sentences?.map(({ start, end, match }) => [inChunk.slice(start, end).trim(), match])).toEqual(
      SENTENCES.map(sentence => [sentence, sentence.includes('vinegar') ? 9 : 0]),
    )
  })

  it('is that of the words when the plan, or the reranker, has no other, and nobody is asked', async () => {
    const matchParts = async () => {
      throw new Error('asked')
    }
    const byWords = await ask({})
    expect(byWords.context).not.toContain('vinegar')
    expect(byWords.trace?.candidates[0]?.sentences).toBeUndefined()
    expect(byWords.degraded).toEqual([])
    for (const packing of [
      { sentenceChoice: 'words' },
      { sentenceCut: false },
      { overflow: 'stop' },
      { mode: 'sentence' },
    ])
      expect((await ask({ matchParts }, { overrides: { packing } })).degraded.map(({ code }) => code)).not.toContain(
        'sentences_by_words',
      )
    expect((await ask({ matchParts }, { overrides: { packing: { sentenceChoice: 'words' } } })).context).toBe(
      byWords.context,
    )
  })

  it('is asked of the best chunk, also when many others would fit behind it, and of no other', async () => {
    const asked: string[] = []
    const matchParts = async (request: MatchPartsRequest) => {
      asked.push(...request.passages.map(({ text }) => text))
      return vinegarAnswers(request)
    }
    const short = Array.from({ length: 8 }, (_, at) => `The lamp ${at} burns in house ${at}.`)
    await ask({ matchParts }, { budget: 200, texts: [SENTENCES.join(' ').repeat(6), ...short] })
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain('vinegar')
  })

  it.each([
    ['before', () => 0],
    ['while tokens are counted', clockOf(RANKING_GRACE_MS + 1)],
  ])('is that of the words, and says so, when the deadline passes %s', async (_, now) => {
    let reads = 0
    const matchParts = async () => {
      reads++
      return []
    }
    const signal = AbortSignal.abort()
    const record = new RunRecord(() => 0)
    const matches = await sentenceMatches(
      [candidate({ text: SENTENCES.join(' ') })],
      {
        plan: overridePlan(NAMED_PLANS.measured, { budgetTokens: 60 }),
        query: QUERY,
        reranker: fakePorts({ reranker: { rerank: scores, matchParts } }).reranker,
        tenant: null,
        count: countWords,
        signal,
      },
      record,
      new Pace(signal, { now }),
    )
    expect([...matches]).toEqual([])
    expect(reads).toBe(0)
    expect(record.degraded).toEqual([{ code: 'sentences_by_words', detail: 'the deadline passed' }])
  })

  it('is not asked for when everything fits, or more than four chunks fit before', async () => {
    let calls = 0
    const matchParts = async (request: MatchPartsRequest) => {
      calls++
      return vinegarAnswers(request)
    }
    await ask({ matchParts }, { budget: 2_000 })
    const short = Array.from(
      { length: 9 },
      (_, at) => `The lamp ${at} burns. The lamp number ${at} hangs in house ${at}.`,
    )
    await ask({ matchParts }, { budget: 400, texts: [...short, SENTENCES.join(' ').repeat(30)] })
    expect(calls).toBe(0)
    await ask({ matchParts }, { budget: 120, texts: [short[0] ?? '', SENTENCES.join(' ').repeat(3)] })
    expect(calls).toBe(1)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('worker died')), 'worker died'],
    [
      'throws',
      (): Promise<never> => {
        throw new Error('no')
      },
      'no',
    ],
  ])('is that of the words, and says so, when the reranker %s', async (_, matchParts, detail) => {
    const byWords = await ask({})
    const answer = await ask({ matchParts })
    expect(answer.context).toBe(byWords.context)
    expect(answer.degraded).toEqual([{ code: 'sentences_by_words', detail }])
  })

  it.each([
    ['nothing', []],
    ['that it cannot tell', [null]],
    ['no finite numbers', [[Number.NaN, Number.POSITIVE_INFINITY, 1, 1, 1]]],
    ['too few numbers', [[1]]],
  ])('is that of the words when the reranker answers %s', async (_, answer) => {
    const byWords = await ask({})
    const given = await ask({ matchParts: async () => answer as number[][] })
    expect(given.context).toBe(byWords.context)
  })

  it('is that of the words when the reranker is busy, or takes longer than a fifth of its deadline', async () => {
    const byWords = await ask({})
    const busy = await ask({ matchParts: vinegarAnswers, expectedWaitMs: () => 10_000 })
    expect([busy.context, busy.degraded.map(({ detail }) => detail)]).toEqual([
      byWords.context,
      ['the reranker is busy with earlier work'],
    ])
    const late = async ({ passages, signal }: MatchPartsRequest) => {
      await once(signal, 'abort')
      return passages.map(() => null)
    }
    const slow = await ask({ matchParts: late }, { overrides: { rerank: { deadlineMs: 50 } } })
    expect(slow.context).toBe(byWords.context)
    expect(slow.degraded).toContainEqual({ code: 'sentences_by_words', detail: 'the deadline passed' })
  })
})

/** A clock that goes on by some milliseconds whenever it is read. */
function clockOf(milliseconds: number): () => number {
  let time = 0
  return () => (time += milliseconds)
}

function* countWords(text: string): Generator<void, number, void> {
  yield
  return text.split(' ').length
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ANSWERABLE_REASONS, codesOf, DEGRADATIONS, VERDICTS } from '../../../src/core/vocabulary.ts'
import { answerableBy } from '../../../src/pipeline/confidence/answerable.ts'
import { createPackContext } from '../../../src/pipeline/pack-context.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { overridePlan } from '../../../src/pipeline/plan/override-plan.ts'
import { chunk, keywordLists } from '../../support/candidates.ts'
import { CALLER, dependencies, fakePorts, scriptedStore } from '../../support/fake-ports.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const passage = fc.record({ rerank: fc.option(share, { nil: null }), coverage: share })
const passages = fc.array(passage, { maxLength: 6 })
const degraded = fc.subarray(codesOf(DEGRADATIONS).map(code => ({ code })))
const THRESHOLDS = NAMED_PLANS.measured.verdict

type Arguments = Parameters<typeof answerableBy>
const judged = (passages: Arguments[0], degraded: Arguments[1], hasTerms = true) =>
  answerableBy(passages, degraded, THRESHOLDS, hasTerms)

describe('whether the documents answer', () => {
  it('is a probability with a verdict that follows it, and nothing is found in an empty pool', () => {
    fc.assert(
      fc.property(passages, degraded, (given, missing) => {
        const { probability, verdict, reasons } = judged(given, missing)
        expect(probability >= 0 && probability <= 1).toBe(true)
        expect(Object.keys(VERDICTS)).toContain(verdict)
        expect(reasons.includes('nothing_found')).toBe(given.length === 0)
        if (given.length === 0) expect(probability).toBe(0)
        expect(new Set(reasons).size).toBe(reasons.length)
        for (const reason of reasons) expect(codesOf(ANSWERABLE_REASONS)).toContain(reason)
      }),
    )
  })

  it('never falls when the best passage scores higher, or passages have one more term', () => {
    fc.assert(
      fc.property(passages, share, share, (given, more, wider) => {
        const { probability } = judged(given, [])
        const best = Math.max(...given.map(({ rerank }) => rerank ?? 0))
        const raised = given.map(({ rerank, coverage }) => ({
          rerank: rerank === best ? Math.max(rerank, more) : rerank,
          coverage: Math.max(coverage, wider),
        }))
        expect(judged(raised, []).probability).toBeGreaterThanOrEqual(probability)
      }),
    )
  })

  it('is larger where the best passage stands out, and hardly smaller where others answer, too', () => {
    const of = (...scores: number[]) =>
      judged(
        scores.map(rerank => ({ rerank, coverage: 0.7 })),
        [],
      )
    const background = new Array<number>(49).fill(0.002)
    const alone = of(0.2, ...background)
    expect(alone).toMatchObject({ verdict: 'in_documents', reasons: [] })
    expect(of(0.2, ...new Array<number>(49).fill(0.1))).toMatchObject({ reasons: ['no_passage_stands_out'] })
    // Twenty versions of the document that answers.
    expect(of(...new Array<number>(20).fill(0.2), ...background.slice(20)).probability).toBe(alone.probability)
    // Of a few passages, each may answer.
    expect(of(0.2, 0.2, 0.2).verdict).toBe('in_documents')
  })

  it('orders verdicts by probability, and a search that looked at a part never says that there is no answer', () => {
    fc.assert(
      fc.property(passages, passages, (left, right) => {
        const [less, more] = [judged(left, []), judged(right, [])].sort((a, b) => a.probability - b.probability)
        if (!less || !more) return
        const order = Object.keys(VERDICTS)
        expect(order.indexOf(less.verdict)).toBeGreaterThanOrEqual(order.indexOf(more.verdict))
        const parts = [
          'embedder_failed',
          'no_search_terms',
          'collection_unsearched',
          'reranker_failed',
          'rerank_partial',
        ] as const
        for (const code of [...parts, 'rerank_skipped', 'ranking_partial'] as const) {
          const part = judged(left, [{ code }])
          expect(part.verdict).not.toBe('not_in_documents')
          expect(part.reasons).toContain('degraded')
        }
        expect(judged(left, [{ code: 'nothing_fits' }])).toEqual(judged(left, []))
      }),
    )
  })

  it('says what the thresholds of the plan say, whatever they are, and they change nothing else', () => {
    fc.assert(
      fc.property(passages, degraded, share, share, (given, missing, inDocuments, uncertain) => {
        const { verdict, ...rest } = answerableBy(given, missing, { inDocuments, uncertain })
        const { verdict: _, ...same } = judged(given, missing)
        expect(rest).toEqual(same)
        if (rest.probability >= inDocuments) expect(verdict).toBe('in_documents')
        else if (rest.probability >= uncertain) expect(verdict).toBe('uncertain')
        else expect(verdict).toBe(rest.reasons.includes('degraded') ? 'uncertain' : 'not_in_documents')
      }),
    )
  })

  it('is described with the thresholds that hold by default', () => {
    expect(VERDICTS.in_documents).toContain(`${THRESHOLDS.inDocuments} by default`)
    expect(VERDICTS.uncertain).toContain(`${THRESHOLDS.uncertain} by default`)
  })

  it('names what lowers it', () => {
    const relevant = { rerank: 0.9, coverage: 1 }
    expect(judged([relevant], [])).toMatchObject({ verdict: 'in_documents', reasons: [] })
    expect(judged([], [])).toEqual({ probability: 0, verdict: 'not_in_documents', reasons: ['nothing_found'] })
    expect(judged([{ ...relevant, rerank: null }], []).reasons).toEqual(['reranker_missing'])
    expect(judged([{ ...relevant, rerank: 0.02 }], []).reasons).toEqual(['top_score_low'])
    expect(judged([{ ...relevant, rerank: 0.004 }], []).reasons).toEqual(['top_score_low', 'no_passage_stands_out'])
    expect(judged([{ ...relevant, coverage: 0 }], []).reasons).toEqual(['no_keyword_match'])
    expect(judged([{ ...relevant, coverage: 0.3 }], []).reasons).toEqual(['few_keyword_matches'])
    expect(judged([{ rerank: 0.01, coverage: 0.1 }], []).verdict).toBe('not_in_documents')
    expect(judged([], [], false).verdict).toBe('not_in_documents')
    expect(judged([{ rerank: 0.01, coverage: 0 }], [], false).verdict).toBe('not_in_documents')
  })
})

describe('answerable in an answer', () => {
  const hits = ['The harbour tide comes twice a day.', 'Salt is kept in the tower.'].map((text, at) => ({
    score: 1 - at / 2,
    chunk: chunk({ id: at, docId: `d${at}`, docTitle: '', sectionPath: '', text }),
  }))
  const pack = createPackContext(dependencies(fakePorts({ store: scriptedStore(keywordLists(hits)), embedder: null })))

  it('does not depend on the budget', async () => {
    const ask = (budget_tokens: number) =>
      pack({ query: 'When is the harbour tide?', collection: 'docs', budget_tokens, trace: true }, CALLER)
    const [none, all] = [await ask(0), await ask(1_000)]
    expect(none.context).toBe('')
    expect(all.chunks).toHaveLength(2)
    expect(none.answerable).toEqual(all.answerable)
    expect(all.trace?.answerable).toEqual(all.answerable)
    expect(all.answerable.verdict).toBe('in_documents')
  })

  it('has the thresholds of the plan', async () => {
    const verdictAt = async (inDocuments: number, uncertain: number) => {
      const plan = overridePlan(NAMED_PLANS.measured, { verdict: { inDocuments, uncertain } })
      const ports = fakePorts({ store: scriptedStore(keywordLists(hits)), embedder: null })
      const question = { query: 'When is the harbour tide?', collection: 'docs' }
      return (await createPackContext(dependencies(ports, { plan }))(question, CALLER)).answerable.verdict
    }
    expect(await verdictAt(0, 0)).toBe('in_documents')
    expect(await verdictAt(1, 0)).toBe('uncertain')
    expect(await verdictAt(1, 1)).toBe('not_in_documents')
  })

  it('finds a word of the question in a title', async () => {
    const titled = [
      { score: 1, chunk: { ...chunk({ id: 1, text: 'It comes twice a day.' }), docTitle: 'Harbour tide' } },
    ]
    const ports = fakePorts({
      store: scriptedStore(keywordLists(titled)),
      embedder: null,
    })
    const answer = await createPackContext(dependencies(ports))({ query: 'harbour tide', collection: 'docs' }, CALLER)
    expect(answer.answerable.reasons).toEqual(['reranker_missing'])
  })

  it('rests on the words when the reranker fails, and says so', async () => {
    const failing = async () => {
      throw new Error('gone')
    }
    const ports = fakePorts({
      store: scriptedStore(keywordLists(hits)),
      embedder: null,
      reranker: { rerank: failing },
    })
    const plan = overridePlan(NAMED_PLANS.measured, { rerank: { method: 'crossencoder' } })
    const answer = await createPackContext(dependencies(ports, { plan }))(
      { query: 'harbour tide', collection: 'docs' },
      CALLER,
    )
    expect(answer.degraded.map(({ code }) => code)).toContain('reranker_failed')
    expect(answer.answerable).toMatchObject({ verdict: 'in_documents', reasons: ['reranker_missing', 'degraded'] })
    expect(answer.chunks.map(one => one.relevance_kind)).toEqual(['words', 'words'])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish, TimeUp } from '../../../src/core/steps.ts'
import type { Candidate } from '../../../src/core/types.ts'
import { evidenceOf } from '../../../src/pipeline/confidence/evidence.ts'
import { relevanceLogit, relevancesBy } from '../../../src/pipeline/confidence/relevance.ts'
import { terms } from '../../../src/text/terms/terms.ts'
import { candidate, candidates } from '../../support/candidates.ts'

const share = fc.double({ min: 0, max: 1, noNaN: true })
const score = fc.option(share, { nil: null })
/** What a reranker may answer that is no probability. */
const oddScore = fc.oneof(score, fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 2))
const question = fc.constantFrom('', 'the', 'harbour tide', 'who is it', 'ledger of the salt gate', '港の潮', '\u0000')

const ranked = fc
  .tuple(candidates(), fc.array(oddScore, { minLength: 14, maxLength: 14 }))
  .map(([all, scores]) => all.map((one, at): Candidate => ({ ...one, rerank: scores[at] ?? null })))

describe('the evidence of ranked candidates', () => {
  it('has the share of the distinct terms of the question that each passage can be found by', () => {
    fc.assert(
      fc.property(question, ranked, (query, all) => {
        const { passages, isPartial } = finish(evidenceOf(query, all))
        expect(isPartial).toBe(false)
        passages.forEach(({ candidate: { chunk }, coverage }, at) => {
          expect(chunk).toBe(all[at]?.chunk)
          const wanted = [...new Set(terms(query))]
          const text = new Set(terms(`${chunk.docTitle} ${chunk.sectionPath} ${chunk.context ?? ''} ${chunk.text}`))
          const found = wanted.filter(term => text.has(term)).length
          expect(coverage).toBe(wanted.length === 0 ? 0 : found / wanted.length)
        })
      }),
    )
  })

  it('says when the time was up, and has all passages then, too', () => {
    const all = [candidate({ id: 1, text: 'A tide.' }), candidate({ id: 2, text: 'A tide, too.' })]
    const steps = evidenceOf('tide', all)
    steps.next()
    const { done, value } = steps.throw(new TimeUp())
    expect(done).toBe(true)
    expect(value).toMatchObject({ isPartial: true, passages: [{ coverage: 0 }, { coverage: 0 }] })
  })
})

describe('the relevance of a passage', () => {
  it('is in [0,1] and the same each time, whatever the reranker answers', () => {
    fc.assert(
      fc.property(question, ranked, (query, all) => {
        const ask = () => all.map(relevancesBy(finish(evidenceOf(query, all))))
        const relevances = ask()
        for (const { relevance } of relevances) expect(relevance >= 0 && relevance <= 1).toBe(true)
        expect(ask()).toEqual(relevances)
        relevances.forEach(({ kind }, at) => {
          const rerank = all[at]?.rerank ?? null
          expect(kind).toBe(rerank === null || Number.isNaN(rerank) ? 'words' : 'reranker')
        })
      }),
    )
  })

  it('never falls when the reranker scores higher or one more term of the question is found', () => {
    fc.assert(
      fc.property(score, share, share, share, (rerank, coverage, more, wider) => {
        const logit = relevanceLogit({ rerank, coverage })
        const higher = rerank === null ? null : Math.max(rerank, more)
        expect(relevanceLogit({ rerank: higher, coverage })).toBeGreaterThanOrEqual(logit)
        expect(relevanceLogit({ rerank, coverage: Math.max(coverage, wider) })).toBeGreaterThanOrEqual(logit)
      }),
    )
  })

  it('does not depend on the other passages of the question', () => {
    fc.assert(
      fc.property(question, ranked, (query, all) => {
        const together = all.map(relevancesBy(finish(evidenceOf(query, all))))
        const alone = all.map(one => relevancesBy(finish(evidenceOf(query, [one])))(one))
        expect(together).toEqual(alone)
      }),
    )
  })

  it('is that of the passage that names its document, when that one is more relevant', () => {
    const naming = { ...candidate({ id: 1, text: 'The harbour tide.' }), rerank: 0.8 }
    const named = { ...candidate({ id: 2, text: 'Salt.' }), rerank: 0.1 }
    const relevanceOf = relevancesBy(finish(evidenceOf('harbour tide', [naming, named])))
    const raised = { ...named, mention: { by: naming.chunk, gain: 0.1 } }
    expect(relevanceOf(raised)).toEqual({ relevance: relevanceOf(naming).relevance, kind: 'mention' })
    expect(relevanceOf(named).kind).toBe('reranker')
    const less = { ...naming, mention: { by: named.chunk, gain: 0.1 } }
    expect(relevanceOf(less)).toEqual(relevanceOf(naming))
    const elsewhere = { ...named, mention: { by: { ...naming.chunk, collection: 'other' }, gain: 0.1 } }
    expect(relevanceOf(elsewhere)).toEqual(relevanceOf(named))
  })

  it('is for a neighbour that of the best passage beside it, and for a parent that of its best chunk', () => {
    const found = { ...candidate({ id: 1, orderIndex: 3, parentId: 'p', text: 'The harbour tide.' }), rerank: 0.8 }
    const weaker = { ...candidate({ id: 2, orderIndex: 5, parentId: 'p', text: 'Salt.' }), rerank: 0.1 }
    const relevanceOf = relevancesBy(finish(evidenceOf('harbour tide', [found, weaker])))
    const beside = { ...candidate({ id: 3, orderIndex: 4 }), origin: 'neighbour' as const }
    const farther = { ...candidate({ id: 4, orderIndex: 9 }), origin: 'neighbour' as const }
    const nowhere = { ...candidate({ id: 5, orderIndex: null }), origin: 'neighbour' as const }
    const parent = { ...candidate({ id: 'p', orderIndex: null }), origin: 'parent' as const }
    const best = relevanceOf(found).relevance
    expect(best).toBeGreaterThan(relevanceOf(weaker).relevance)
    expect(relevanceOf(beside)).toEqual({ relevance: best, kind: 'neighbour' })
    expect(relevanceOf(farther)).toEqual({ relevance: 0, kind: 'neighbour' })
    expect(relevanceOf(nowhere)).toEqual({ relevance: 0, kind: 'neighbour' })
    expect(relevanceOf(parent)).toEqual({ relevance: best, kind: 'neighbour' })
  })
})

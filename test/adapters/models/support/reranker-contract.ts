import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Reranker } from '../../../../src/core/ports.ts'
import { HOSTILE_TEXTS } from '../../../support/hostile-texts.ts'
import { noSignal } from '../../../support/model-folders.ts'

const PASSAGES = [
  'Rotate the signing key with rotate-key; the old key stays valid for an hour.',
  'The cache holds answers for a short time.',
  'Filters are joined with and.',
]

/** What every reranker must do, whatever is behind it. */
export function describeReranker(name: string, open: () => Promise<Reranker>): void {
  describe(`the reranker port: ${name}`, () => {
    let reranker: Reranker
    beforeAll(async () => {
      reranker = await open()
    })
    afterAll(() => reranker.close())

    it('gives each passage a score in [0,1], the same for the same pair', async () => {
      const request = { query: 'How is the key rotated?', passages: PASSAGES, signal: noSignal() }
      const first = await reranker.rerank(request)
      expect(first.scores).toHaveLength(PASSAGES.length)
      for (const score of first.scores) expect(score !== null && score >= 0 && score <= 1).toBe(true)
      expect((await reranker.rerank(request)).scores).toEqual(first.scores)
      const reversed = await reranker.rerank({ ...request, passages: [...PASSAGES].reverse() })
      expect(reversed.scores).toEqual([...first.scores].reverse())
    })

    it('answers a pair it knows from its cache, another query not', async () => {
      const request = { query: 'what is cached', passages: PASSAGES, signal: noSignal() }
      expect((await reranker.rerank(request)).cached).toBe(0)
      expect((await reranker.rerank(request)).cached).toBe(PASSAGES.length)
      expect((await reranker.rerank({ ...request, query: 'what is cached?' })).cached).toBe(0)
      // Otherwise the time of an answer would tell a tenant what another one has asked.
      expect((await reranker.rerank({ ...request, tenant: 'acme' })).cached).toBe(0)
    })

    it('scores equal passages equally and none for none', async () => {
      const twice = await reranker.rerank({ query: 'twice', passages: ['same', 'same'], signal: noSignal() })
      expect(twice.scores[0]).toBe(twice.scores[1])
      expect(await reranker.rerank({ query: 'none', passages: [], signal: noSignal() })).toEqual({
        scores: [],
        cached: 0,
      })
    })

    it('resolves with nulls when the signal came first, and with what the cache knows', async () => {
      const aborted = AbortSignal.abort()
      const late = await reranker.rerank({ query: 'late', passages: PASSAGES, signal: aborted })
      expect(late).toEqual({ scores: [null, null, null], cached: 0 })
      await reranker.rerank({ query: 'late', passages: PASSAGES.slice(0, 1), signal: noSignal() })
      const partly = await reranker.rerank({ query: 'late', passages: PASSAGES, signal: aborted })
      expect(partly.cached).toBe(1)
      expect(partly.scores.map(score => score === null)).toEqual([false, true, true])
    })

    it('gives finite scores for hostile texts', async () => {
      const query = HOSTILE_TEXTS.map(text => text.slice(0, 300)).join(' ')
      const { scores } = await reranker.rerank({ query, passages: [...HOSTILE_TEXTS], signal: noSignal() })
      for (const score of scores) expect(score !== null && score >= 0 && score <= 1).toBe(true)
    })

    it('matches parts of passages when it can: a finite number for each, or nothing for a passage', async () => {
      const passages = [...PASSAGES, ...HOSTILE_TEXTS.map(text => text.slice(0, 5_000))].map(text => {
        const [first = text.length] = [text.indexOf(';')].filter(at => at > 0)
        return {
          text,
          parts: [
            { start: 0, end: first },
            { start: first, end: text.length },
          ],
        }
      })
      const request = { query: 'How is the key rotated?', passages, signal: noSignal() }
      const matches = await reranker.matchParts?.(request)
      if (matches === undefined) return
      expect(matches).toHaveLength(passages.length)
      for (const parts of matches) expect(parts?.every(Number.isFinite) ?? true).toBe(true)
      expect(matches[0]).toHaveLength(2)
      expect(await reranker.matchParts?.(request)).toEqual(matches)
      const aborted = await reranker.matchParts?.({ ...request, signal: AbortSignal.abort() })
      expect(aborted).toEqual(passages.map(() => null))
    })

    it('serves requests side by side, each its own answer', async () => {
      const alone = await reranker.rerank({ query: 'side 0', passages: PASSAGES, signal: noSignal() })
      const together = await Promise.all(
        [0, 1, 2, 3].map(n => reranker.rerank({ query: `side ${n}`, passages: PASSAGES, signal: noSignal() })),
      )
      expect(together[0]?.scores).toEqual(alone.scores)
      expect(together.every(result => result.scores.every(score => score !== null))).toBe(true)
    })
  })
}

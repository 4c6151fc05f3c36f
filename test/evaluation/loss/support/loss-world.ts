import fc from 'fast-check'
import type { DropReason } from '../../../../src/core/vocabulary.ts'
import type { GoldenQuery } from '../../../../src/evaluation/golden-set/golden-set.ts'
import type { ConsideredText, ReplayRun } from '../../../../src/evaluation/metrics/measure-run.ts'
import { goldenQuery, goldSpan, replayRun } from '../../support/golden.ts'

/** One run over invented documents. Words are tokens. */
export interface LossWorld {
  query: GoldenQuery
  texts: Map<string, string>
  candidates: ConsideredText[]
  run: ReplayRun
  budget: number
}

export const countWords = (text: string) => text.split(/\s+/u).filter(Boolean).length

const REASONS: readonly DropReason[] = [
  'duplicate',
  'below_pool',
  'rerank_cut',
  'below_threshold',
  'doc_cap',
  'over_budget',
  'low_value',
]

const word = fc.integer({ min: 0, max: 24 }).map(number => `w${number}`)
const fate = fc.record({
  isThere: fc.boolean(),
  reason: fc.option(fc.constantFrom(...REASONS), { nil: null }),
  isCut: fc.boolean(),
  origin: fc.constantFrom('retrieved' as const, 'retrieved' as const, 'neighbour' as const),
})

/** Documents that are cut into chunks, the second a copy of a part of the first; gold passages; and what became of every chunk. */
export const lossWorlds: fc.Arbitrary<LossWorld> = fc
  .record({
    words: fc.array(word, { minLength: 20, maxLength: 60 }),
    copied: fc.integer({ min: 0, max: 60 }),
    size: fc.integer({ min: 4, max: 14 }),
    golds: fc.array(fc.tuple(fc.nat(59), fc.integer({ min: 1, max: 25 })), { minLength: 1, maxLength: 3 }),
    fates: fc.array(fate, { minLength: 34, maxLength: 34 }),
    budget: fc.integer({ min: 1, max: 60 }),
  })
  .map(({ words, copied, size, golds, fates, budget }) => {
    const documents = [words, words.slice(0, Math.min(copied, words.length))].filter(({ length }) => length > 0)
    const texts = new Map(documents.map((some, at) => [`d${at}`, some.join(' ')]))
    const chunks = documents.flatMap((some, at) => chunksOf(`d${at}`, some, size))
    const outcomes = chunks.flatMap((chunk, at) => {
      const { isThere, reason, isCut, origin } = fates[at % fates.length] as (typeof fates)[number]
      return isThere ? [{ isCut, candidate: { ...chunk, reason, origin, isCapped: reason === 'doc_cap' } }] : []
    })
    const candidates = outcomes.map(({ candidate }, at): ConsideredText => ({ ...candidate, rank: at + 1 }))
    const packed = outcomes.filter(({ candidate }) => candidate.reason === null)
    const parts = packed.map(({ isCut, candidate: { docId, text, place } }) => {
      const kept = isCut ? text.slice(0, text.lastIndexOf(' ', text.length / 2)) : text
      return { docId, text: kept, start: place.start, end: place.start + kept.length }
    })
    const text = texts.get('d0') ?? ''
    const starts = [...text.matchAll(/\S+/gu)].map(({ index }) => index)
    const spans = golds.map(([from, length]) => {
      const first = Math.min(from, starts.length - 1)
      const last = Math.min(first + length, starts.length) - 1
      return goldSpan(text, starts[first] ?? 0, (starts[last] ?? 0) + (words[last] ?? '').length, 'd0')
    })
    const context = parts.map(part => part.text).join('\n\n')
    const run = replayRun(context, { spans: parts.map(({ docId, start, end }) => ({ docId, start, end })) })
    return { query: goldenQuery('q', spans), texts, candidates, run: { ...run, candidates: () => candidates }, budget }
  })

function chunksOf(docId: string, words: readonly string[], size: number) {
  return Array.from({ length: Math.ceil(words.length / size) }, (_, orderIndex) => {
    const before = words.slice(0, orderIndex * size).join(' ')
    const text = words.slice(orderIndex * size, (orderIndex + 1) * size).join(' ')
    const start = orderIndex === 0 ? 0 : before.length + 1
    return { id: `${docId}-${orderIndex}`, docId, text, orderIndex, place: { start, end: start + text.length } }
  })
}

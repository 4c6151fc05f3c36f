import fc from 'fast-check'
import type { CountTokens } from '../../src/core/ports.ts'
import { inOneStep } from '../../src/core/steps.ts'
import type { Candidate, Chunk, RetrievedList } from '../../src/core/types.ts'
import { createCandidate } from '../../src/rank/collect.ts'

/** A chunk with everything known; `over` sets what a test is about. */
export function chunk(over: Partial<Chunk> = {}): Chunk {
  return {
    id: 1,
    collection: 'docs',
    docId: 'doc',
    docTitle: 'Doc',
    sectionPath: 'Doc > Section',
    header: '## Section',
    orderIndex: 0,
    charStart: null,
    charEnd: null,
    text: 'A sentence about harbours.',
    ...over,
  }
}

/** What a keyword search alone finds, best first. */
export function keywordLists(hits: RetrievedList['hits']): RetrievedList[] {
  return [{ source: 'keyword', kind: 'keyword', hits }]
}

export function candidate(over: Partial<Chunk> = {}, value = 1): Candidate {
  return { ...createCandidate(chunk(over), 'retrieved', value), fused: value }
}

const WORDS = 'harbour tide lantern ledger gate stone keeper salt oar bell rope tower wave mast chart anchor'.split(' ')

/** Sentences of few distinct words, so that shingles and overlaps really collide. */
export const passageText = fc
  .array(fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 6 })
  .map(sentences => sentences.map(words => `${words.join(' ')}.`).join(' '))

/** Chunks of a few documents with distinct places, values best first. */
export const candidates = (most = 14) =>
  fc
    .uniqueArray(
      fc.record({
        doc: fc.integer({ min: 0, max: 3 }),
        order: fc.integer({ min: 0, max: 6 }),
        text: passageText,
        value: fc.integer({ min: 0, max: 1000 }),
        context: fc.option(passageText, { nil: undefined }),
      }),
      { maxLength: most, selector: ({ doc, order }) => `${doc}/${order}` },
    )
    .map(rows =>
      rows
        .map(({ doc, order, text, value, context }) =>
          candidate(
            {
              id: doc * 100 + order,
              docId: `doc${doc}`,
              docTitle: `Doc ${doc}`,
              sectionPath: `Doc ${doc} > S${order >> 1}`,
              orderIndex: order,
              text,
              ...(context === undefined ? {} : { context }),
            },
            value / 1000,
          ),
        )
        .sort((a, b) => b.value - a.value || (a.key < b.key ? -1 : 1)),
    )

/** Ranked lists over a shared set of ids, scores falling down each list. */
export const retrievedLists = fc
  .array(
    fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 0, max: 30 }),
        score: fc.double({ min: -5, max: 20, noNaN: true }),
        text: passageText,
      }),
      {
        maxLength: 20,
        selector: ({ id }) => id,
      },
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map(lists =>
    lists.map(
      (hits, index): RetrievedList => ({
        source: ['dense', 'keyword', 'other'][index] ?? 'other',
        kind: (['dense', 'keyword', 'other'] as const)[index] ?? 'other',
        hits: hits
          .sort((a, b) => b.score - a.score)
          .map(({ id, score, text }) => ({ score, chunk: chunk({ id, docId: `d${id % 4}`, orderIndex: id, text }) })),
      }),
    ),
  )

/** Counts words and marks: a tokenizer simple enough to reason about. */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu)?.length ?? 0
}

/** A count as the pipeline takes it. */
export function inSteps(count: (text: string) => number): CountTokens {
  return text => inOneStep(() => count(text))
}

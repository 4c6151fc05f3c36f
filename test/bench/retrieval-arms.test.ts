import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Embedder } from '../../src/core/ports.ts'
import { encodeBm25Document, encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { goldenQuery, goldSpan } from '../evaluation/support/golden.ts'
import { bm25Scorer, denseScorer, hybridScorer, listFigures, rankAll } from './retrieval-arms.ts'
import { isHit, unitsOf } from './retrieval-units.ts'

const word = fc.constantFrom('harbour', 'tide', 'lantern', 'ledger', 'gate', 'stone')
const text = fc.array(word, { minLength: 1, maxLength: 8 }).map(words => words.join(' '))

describe('the arms of a list', () => {
  it('score BM25 as a naive sum over the words of the query', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 6 }), text, async (texts, query) => {
        const documents = texts.map(each => encodeBm25Document(each))
        const expected = documents.map(({ indices, values }) =>
          encodeBm25Query(query).indices.reduce((sum, index) => {
            const frequency = documents.filter(document => document.indices.includes(index)).length
            const idf = Math.log((texts.length - frequency + 0.5) / (frequency + 0.5) + 1)
            return sum + idf * (values[indices.indexOf(index)] ?? 0)
          }, 0),
        )
        const scores = await bm25Scorer(texts)(query)
        for (const [at, score] of expected.entries()) expect(scores[at]).toBeCloseTo(score, 9)
      }),
    )
  })

  it('score dense lists by the embedder’s cosine, whatever the batch', async () => {
    const angle = (text: string) => new Float32Array([Math.cos(text.length), Math.sin(text.length)])
    const embedder: Embedder = {
      version: 'lengths:2:none',
      dimensions: 2,
      embedQuery: async query => angle(query),
      embedPassages: async texts => texts.map(angle),
      close: async () => {},
    }
    const texts = Array.from({ length: 150 }, (_, length) => 'x'.repeat(length))
    const progress: number[] = []
    const scores = await (await denseScorer(embedder, texts, done => progress.push(done)))('xxx')
    expect(progress).toEqual([64, 128, 150])
    for (const [length, score] of scores.entries()) expect(score).toBeCloseTo(Math.cos(length - 3), 5)
  })

  it('add two lists half and half, absent ones at the minimum', async () => {
    const first = () => Float64Array.from([4, 2, 0])
    const second = () => Float64Array.from([0, 3, 1])
    const scores = await hybridScorer(first, second)('q')
    const expected = [0.5, 0.25 + 0.5, 0.5 / 3]
    for (const [at, score] of expected.entries()) expect(scores[at]).toBeCloseTo(score, 12)
  })

  it('rank and measure: a perfect list has 1 everywhere, and is compared query by query', async () => {
    const relevant = [new Set([0]), new Set([1]), new Set<number>()]
    const perfect = (query: string) => Float64Array.from([0, 1, 2], place => (place === Number(query) ? 1 : 0))
    const contrary = (query: string) => Float64Array.from([0, 1, 2], place => (place === Number(query) ? -1 : 0))
    const queries = ['0', '1', '2']
    const lists = [await rankAll('contrary', contrary, queries), await rankAll('perfect', perfect, queries)]
    const [worst, best] = listFigures(lists, relevant)
    expect([best?.ndcg.mean, best?.recall[5]?.mean, best?.ndcg.n]).toEqual([1, 1, 2])
    expect(worst?.ndcg.mean).toBeCloseTo(1 / Math.log2(4), 12)
    expect(best?.comparison?.difference.mean).toBeCloseTo(1 - 1 / Math.log2(4), 12)
    expect(worst?.comparison).toBeNull()
  })
})

describe('the units of a set', () => {
  const document = {
    docId: 'd',
    title: 'Tides',
    text: '# Tides\n\nThe tide comes twice a day.\n\n# Gates\n\nThe gate shuts.',
  }
  const setOf = (goldPassages: Parameters<typeof unitsOf>[0]['queries'][number]['goldPassages']) => ({
    name: 's',
    documents: [document, { ...document, docId: 'other' }],
    queries: [goldenQuery('q', goldPassages)],
    corpusHash: '',
    hash: '',
  })

  it('are documents where all evidence is, else chunks, each with its title in front', () => {
    const whole = unitsOf(setOf([{ ...goldSpan(document.text, 0, document.text.length), kind: 'document' }]))
    expect([whole.kind, whole.units.length, [...(whole.relevant[0] ?? [])]]).toEqual(['documents', 2, [0]])
    const start = document.text.indexOf('The gate')
    const cut = unitsOf(setOf([goldSpan(document.text, start, start + 15)]))
    const hits = [...(cut.relevant[0] ?? [])].map(place => cut.units[place])
    expect(cut.kind).toBe('chunks')
    expect(hits.map(unit => [unit?.docId, unit?.encodedText.includes('The gate shuts.')])).toEqual([['d', true]])
    expect(cut.units.every(({ encodedText }) => encodedText.startsWith('Tides'))).toBe(true)
  })

  it('hit evidence when they share half of the smaller, counted character by character', () => {
    const range = fc
      .tuple(fc.nat(20), fc.integer({ min: 1, max: 20 }))
      .map(([start, size]) => ({ start, end: start + size }))
    fc.assert(
      fc.property(range, range, (unit, gold) => {
        let shared = 0
        for (let at = 0; at < 40; at += 1)
          if (at >= unit.start && at < unit.end && at >= gold.start && at < gold.end) shared += 1
        const smaller = Math.min(unit.end - unit.start, gold.end - gold.start)
        expect(isHit(unit, gold)).toBe(shared > 0 && 2 * shared >= smaller)
      }),
    )
  })
})

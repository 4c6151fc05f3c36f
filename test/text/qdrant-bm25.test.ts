import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SparseVector } from '../../src/core/types.ts'
import { type Bm25Options, encodeBm25Document, encodeBm25Query } from '../../src/text/qdrant-bm25.ts'
import { englishStem } from '../../src/text/terms/english-stem.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

interface Reference {
  cases: { text: string; options: Bm25Options; document: SparseVector; query: SparseVector }[]
  stems: Record<string, string>
}
const reference = JSON.parse(readFileSync(new URL('./bm25-reference.json', import.meta.url), 'utf8')) as Reference

describe('BM25 encoding compared with Qdrant’s own code', () => {
  it('has a reference of at least 60 cases', () => {
    expect(reference.cases.length).toBeGreaterThanOrEqual(60)
  })

  it.each(reference.cases.map(entry => [entry.text.slice(0, 60), JSON.stringify(entry.options), entry] as const))(
    '%j %s',
    (_text, _options, { text, options, document, query }) => {
      const encoded = encodeBm25Document(text, options)
      expect(encoded.indices).toEqual(document.indices)
      // The reference fuses a multiplication and an addition; the last bit of a single-precision value may differ.
      for (const [at, value] of document.values.entries()) expect(encoded.values[at]).toBeCloseTo(value, 6)
      expect(encodeBm25Query(text, options)).toEqual(query)
    },
  )

  it('stems as the Snowball English stemmer does', () => {
    const stems = Object.fromEntries(Object.keys(reference.stems).map(word => [word, englishStem(word)]))
    expect(stems).toEqual(reference.stems)
  })
})

describe('BM25 encoding of any text', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary' }), fc.lorem(), fc.constantFrom(...HOSTILE_TEXTS))

  it('gives ascending unsigned dimensions and finite weights, and a query shares the dimensions of its document', () => {
    fc.assert(
      fc.property(texts, text => {
        const document = encodeBm25Document(text)
        for (const [at, index] of document.indices.entries()) {
          expect(Number.isInteger(index) && index >= 0 && index <= 2 ** 31).toBe(true)
          expect(index).toBeGreaterThan(document.indices[at - 1] ?? -1)
        }
        for (const value of document.values) expect(value > 0 && value < 2.2).toBe(true)
        expect(encodeBm25Query(text)).toEqual({ indices: document.indices, values: document.indices.map(() => 1) })
      }),
      { numRuns: 150 },
    )
  })
})

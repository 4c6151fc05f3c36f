import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import { candidateBm25 as candidateBm25InSteps } from '../../src/text/candidate-bm25.ts'
import { contentHash, fingerprint } from '../../src/text/fingerprint.ts'
import { cosine } from '../../src/text/similarity.ts'
import { identifiers, joinedWords } from '../../src/text/terms/identifiers.ts'
import { terms } from '../../src/text/terms/terms.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const candidateBm25 = (...input: Parameters<typeof candidateBm25InSteps>) => finish(candidateBm25InSteps(...input))

describe('cosine', () => {
  it('agrees with the naive formula and stays in [-1, 1]', () => {
    const vector = fc.array(fc.float({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(vector, vector, (a, b) => {
        const value = cosine(Float32Array.from(a), Float32Array.from(b))
        const norm = Math.hypot(...a.map(Math.fround)) * Math.hypot(...b.map(Math.fround))
        const dot = a.reduce((sum, x, i) => sum + Math.fround(x) * Math.fround(b[i] ?? 0), 0)
        expect(Math.abs(value)).toBeLessThanOrEqual(1)
        if (norm > 1e-30) expect(value).toBeCloseTo(dot / norm, 9)
      }),
    )
  })

  it.each([
    ['zero', [0, 0], [1, 1]],
    ['not a number', [Number.NaN, 1], [1, 1]],
    ['infinite', [Number.POSITIVE_INFINITY, 1], [1, 1]],
    ['of another length', [1, 1, 1], [1, 1]],
    ['empty', [], []],
  ])('is 0 for vectors that are %s', (_name, a, b) => {
    expect(cosine(Float32Array.from(a), Float32Array.from(b))).toBe(0)
  })
})

describe('BM25 over candidates', () => {
  const naive = (query: string, documents: string[]): number[] => {
    const lists = documents.map(document => ({
      length: terms(document).length,
      all: [...terms(document), ...joinedWords(document)],
    }))
    const average = lists.reduce((sum, list) => sum + list.length, 0) / lists.length
    return lists.map(({ length, all }) =>
      [...new Set([...terms(query), ...identifiers(query)])].reduce((sum, term) => {
        const documentFrequency = lists.filter(other => other.all.includes(term)).length
        const idf = Math.log(1 + (lists.length - documentFrequency + 0.5) / (documentFrequency + 0.5))
        const count = all.filter(other => other === term).length
        if (count === 0) return sum
        return sum + (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * length) / average))
      }, 0),
    )
  }

  it('agrees with the formula', () => {
    const word = fc.constantFrom('key', 'keys', 'rotate', 'the', 'index', '東京', 'key_index', 'the-key', 'The-Key')
    const text = fc.array(word, { maxLength: 12 }).map(words => words.join(' '))
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 8 }), (query, documents) => {
        const scores = candidateBm25(query, documents)
        expect(scores.length).toBe(documents.length)
        for (const [i, expected] of naive(query, documents).entries()) expect(scores[i]).toBeCloseTo(expected, 9)
      }),
    )
  })

  it('prefers the document with the rare word', () => {
    const [a = 0, b = 0, c = 0] = candidateBm25('rotate the key', [
      'the key of the door',
      'rotate a key',
      'nothing here',
    ])
    expect(b).toBeGreaterThan(a)
    expect(a).toBeGreaterThan(c)
    expect(c).toBe(0)
  })

  it('prefers the document with the whole identifier to those with its parts, and counts the parts as before', () => {
    const [parts = 0, whole = 0, escaped = 0] = candidateBm25('what is thread_pool_max', [
      'the max of a pool of a thread',
      'the size of a thread_pool_max pool',
      'the size of a thread\\_pool\\_max pool',
    ])
    expect(whole).toBeGreaterThan(parts)
    expect(escaped).toBe(whole)
    const prose = 'the Non-Disclosure Agreement of the harbour'
    expect(candidateBm25('Non-Disclosure', [prose, prose.replace('-', ' ')])).toSatisfy(([a, b]) => a === b)
  })

  it('is finite and never negative on hostile texts', () => {
    const scores = candidateBm25(HOSTILE_TEXTS.map(text => text.slice(0, 500)).join(' '), [...HOSTILE_TEXTS])
    expect(scores.every(score => Number.isFinite(score) && score >= 0)).toBe(true)
    expect(candidateBm25('', ['a'])).toEqual([0])
    expect(candidateBm25('a b', [])).toEqual([])
  })
})

describe('fingerprints', () => {
  it('do not depend on the order of keys, and differ for different values', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), members => {
        const reversed = Object.fromEntries(Object.entries(members).reverse())
        expect(fingerprint(reversed)).toBe(fingerprint(members))
        expect(fingerprint({ ...members, stowage: 'other' })).not.toBe(fingerprint(members))
      }),
    )
    expect(fingerprint({ a: 1, b: undefined })).toBe(fingerprint({ a: 1 }))
    expect(fingerprint([1, 2])).not.toBe(fingerprint([2, 1]))
    expect(fingerprint('1')).not.toBe(fingerprint(1))
    expect(fingerprint(18446744073709551615n)).toMatch(/^[0-9a-f]{16}$/)
  })

  it('of contents are 32 digits of SHA-256', () => {
    expect(contentHash('')).toBe('e3b0c44298fc1c149afbf4c8996fb924')
    expect(contentHash('a')).not.toBe(contentHash('b'))
  })
})

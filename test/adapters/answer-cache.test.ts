import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAnswerCache } from '../../src/adapters/answer-cache.ts'
import type { ContextKeyParts } from '../../src/pipeline/services.ts'

const PARTS: ContextKeyParts = {
  tenant: 'acme',
  apiKey: 'k',
  condition: { must: [{ key: 'tenant', match: { value: 'acme' } }] },
  request: { query: 'q', budget_tokens: 100 },
  filter: { must: [{ has_id: [18446744073709551615n] }] },
  collections: ['docs'],
  planFingerprint: 'p',
  models: ['e5', null],
}

function openCache(options: Partial<Parameters<typeof createAnswerCache>[0]> = {}) {
  // From 1: lru-cache takes a start of 0 for no time to live.
  const clock = { ms: 1 }
  const cache = createAnswerCache<string>({
    ttlMs: 1_000,
    maxEntries: 10,
    maxBytes: 10_000,
    now: () => clock.ms,
    ...options,
  })
  const keyOf = (parts: Partial<ContextKeyParts> = {}): string => {
    const key = cache.key({ ...PARTS, ...parts })
    if (key === null) throw new Error('the cache is off')
    return key
  }
  return { cache, clock, keyOf }
}

describe('the key', () => {
  test('is the same for the same parts and holds none of them', () => {
    const { keyOf } = openCache()
    expect(keyOf()).toBe(keyOf({ request: { query: 'q', budget_tokens: 100 } }))
    expect(keyOf()).toHaveLength(44)
  })

  test.each<Partial<ContextKeyParts>>([
    { tenant: 'other' },
    { tenant: null },
    { apiKey: 'other' },
    { apiKey: null },
    { condition: { must: [{ key: 'tenant', match: { value: 'other' } }] } },
    { condition: null },
    { request: { query: 'q' } },
    { filter: { must: [{ has_id: [18446744073709551614n] }] } },
    { filter: null },
    { collections: ['docs', 'notes'] },
    { collections: ['notes'] },
    { planFingerprint: 'other' },
    { models: [null, 'e5'] },
  ])('differs with any part: %o', change => {
    const { keyOf } = openCache()
    expect(keyOf(change)).not.toBe(keyOf())
  })
})

describe('write epochs', () => {
  test('hide every answer from that collection, alone or among others, and no other', () => {
    const { cache, keyOf } = openCache()
    const before = {
      docs: keyOf(),
      both: keyOf({ collections: ['notes', 'docs'] }),
      notes: keyOf({ collections: ['notes'] }),
    }
    cache.bumpEpoch('docs')
    expect(keyOf()).not.toBe(before.docs)
    expect(keyOf({ collections: ['notes', 'docs'] })).not.toBe(before.both)
    expect(keyOf({ collections: ['notes'] })).toBe(before.notes)
    cache.bumpEpoch(null)
    expect(keyOf({ collections: ['notes'] })).not.toBe(before.notes)
  })

  test('an answer that a write overtook is stored where nobody looks', () => {
    const { cache, keyOf } = openCache()
    const begun = keyOf()
    cache.bumpEpoch('docs')
    cache.put(begun, 'stale')
    expect(cache.get(keyOf())).toBeNull()
  })

  test('never come back, however many collections are written', () => {
    const { cache, keyOf } = openCache()
    const seen = new Set([keyOf()])
    for (let i = 0; i < 25_000; i++) cache.bumpEpoch(`c${i}`)
    cache.bumpEpoch('docs')
    expect(seen.has(keyOf())).toBe(false)
  })
})

describe('an answer', () => {
  test('lives for its time and no longer', () => {
    const { cache, clock, keyOf } = openCache()
    cache.put(keyOf(), 'a')
    clock.ms += 1_000
    expect(cache.get(keyOf())).toBe('a')
    clock.ms += 1
    expect(cache.get(keyOf())).toBeNull()
  })

  test('is neither keyed nor kept when the cache is off', () => {
    const { cache } = openCache({ ttlMs: 0 })
    expect(cache.key(PARTS)).toBeNull()
    cache.put('k', 'a')
    expect(cache.get('k')).toBeNull()
  })

  test('too large for the cache pushes nothing out', () => {
    const { cache } = openCache({ maxBytes: 20 })
    cache.put('a', 'small')
    cache.put('b', 'x'.repeat(100))
    expect(cache.get('b')).toBeNull()
    expect(cache.get('a')).toBe('small')
  })

  test('is forgotten like in a naive list, least recently used first, within both bounds', () => {
    const step = fc.record({
      put: fc.boolean(),
      key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      length: fc.integer({ min: 0, max: 12 }),
      wait: fc.integer({ min: 0, max: 400 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), steps => {
        const [maxEntries, maxBytes, ttlMs] = [3, 25, 1_000]
        const { cache, clock } = openCache({ maxEntries, maxBytes, ttlMs })
        let naive: { key: string; answer: string; expires: number }[] = []
        for (const { put, key, length, wait } of steps) {
          clock.ms += wait
          const found = naive.find(entry => entry.key === key)
          const others = naive.filter(entry => entry.key !== key)
          if (put) {
            const answer = 'x'.repeat(length)
            cache.put(key, answer)
            naive = [...others, { key, answer, expires: clock.ms + ttlMs }]
            const size = () => naive.reduce((sum, entry) => sum + entry.answer.length + 2, 0)
            while (naive.length > maxEntries || size() > maxBytes) naive.shift()
          } else {
            const alive = found !== undefined && found.expires >= clock.ms
            expect(cache.get(key)).toBe(alive ? found.answer : null)
            naive = alive ? [...others, found] : others
          }
        }
      }),
    )
  })
})

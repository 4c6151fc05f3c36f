import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk, fillAll, type TestPoint } from '../support/points.ts'
import { send } from '../support/send.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const POINTS = 120
const SUBJECTS = 'pump valve sluice warden gauge lantern keel bell rope tide mast crane'.split(' ')
const subjectOf = (index: number) => SUBJECTS[index % SUBJECTS.length]
const dense = (index: number) => [0, 1, 2, 3].map(axis => Math.sin(index * 1.3 + axis * 2.1))
const place = (index: number) => ({ doc_id: `doc-${Math.floor(index / 6)}`, order_index: index % 6 })

/** Each third point is a copy of the one before, and all are chunks of documents with neighbours. */
const withCopies = Array.from({ length: POINTS }, (_, index) => {
  const own = index % 3 === 2 ? index - 1 : index
  return chunk(index + 1, `The ${subjectOf(own)} of berth ${own} opens at ${own} bar.`, place(index))
})
/** Each second point has no text. */
const mixed = Array.from({ length: POINTS }, (_, index): TestPoint => {
  if (index % 2 === 0) return { id: index + 1, payload: { city: 'London' } }
  return chunk(index + 1, `The ${subjectOf(index)} of berth ${index} opens at ${index} bar.`, place(index))
})

let engine: EmbeddedServer
let stowage: Stowage
let diverse: Stowage
beforeAll(async () => {
  engine = await startEmbeddedServer()
  stowage = await openStowage({ QDRANT_URL: engine.url })
  diverse = await openStowage({ QDRANT_URL: engine.url, MMR_ALPHA: '0.5', PACKING_PER_DOC_CAP: '2' })
  await fillAll(engine.url, { copies: withCopies, mixed }, dense)
})
afterAll(async () => {
  await stowage.close()
  await diverse.close()
  await engine.close()
})

interface Answer {
  result: { points: { id: number; score: number }[] }
}
async function points(url: string, collection: string, body: object, question: string | null) {
  const headers: Record<string, string> = question === null ? {} : { 'x-stowage-query': question }
  const path = `/collections/${collection}/points/query?timeout=600`
  const answer = await send<Answer>(url, 'POST', path, body, headers)
  if (url !== engine.url) expect(answer.headers.get('x-stowage-applied')).not.toBe('passthrough')
  return answer.json.result.points
}

async function ask(url: string, collection: string, body: object, question: string | null = null): Promise<number[]> {
  return (await points(url, collection, body, question)).map(({ id }) => id)
}

const single = (seed: number) => ({ query: dense(seed + 0.37), using: 'dense' })
const fused = (seed: number) => ({
  prefetch: [
    { ...single(seed), limit: 30 },
    { ...single(seed + 1), limit: 30 },
  ],
  query: { fusion: 'rrf' },
})
const question = fc.constantFrom(null, 'At how many bar does the sluice open?')

async function pages(
  collection: string,
  body: object,
  size: number,
  words: string | null,
  { url } = stowage,
): Promise<number[]> {
  const found: Answer['result']['points'] = []
  for (let offset = 0; offset < POINTS; offset += size)
    found.push(...(await points(url, collection, { ...body, limit: size, offset }, words)))
  const scores = found.map(({ score }) => score)
  expect(scores).toEqual([...scores].sort((a, b) => b - a))
  return found.map(({ id }) => id)
}

describe('the pages of a search', () => {
  it.each(['copies', 'mixed'])('show each point of a single search once: %s', async collection => {
    const property = fc.asyncProperty(fc.nat(999), fc.constantFrom(10, 30, 60), question, async (seed, size, words) => {
      const found = await pages(collection, single(seed), size, words)
      const own = await ask(engine.url, collection, { ...single(seed), limit: POINTS })
      expect(found).toHaveLength(POINTS)
      expect(new Set(found)).toEqual(new Set(own))
    })
    await fc.assert(property, { numRuns: 8 })
  })

  it.each(['copies', 'mixed'])('show each point of a fusion once: %s', async collection => {
    const property = fc.asyncProperty(fc.nat(999), fc.constantFrom(10, 30), question, async (seed, size, words) => {
      const found = await pages(collection, fused(seed), size, words)
      const own = await ask(engine.url, collection, { ...fused(seed), limit: POINTS })
      expect(new Set(found).size).toBe(found.length)
      expect([...own].filter(id => !found.includes(id))).toEqual([])
    })
    await fc.assert(property, { numRuns: 8 })
  })

  it('show each point once with MMR and caps, too', async () => {
    const property = fc.asyncProperty(fc.nat(999), fc.constantFrom(5, 30), question, async (seed, size, words) => {
      const found = await pages('copies', single(seed), size, words, diverse)
      expect(new Set(found).size).toBe(found.length)
      expect(found).toHaveLength(POINTS)
    })
    await fc.assert(property, { numRuns: 6 })
  })

  it('are Qdrant’s own behind what is ranked, when no question is known', async () => {
    const body = { ...single(7), limit: 20, offset: 60 }
    expect(await ask(stowage.url, 'copies', body)).toEqual(await ask(engine.url, 'copies', body))
  })
})

describe('points without text', () => {
  it.each([null, 'At how many bar does the sluice open?'])('stay where Qdrant put them, question %s', async words => {
    const body = { ...single(3), limit: 30 }
    const own = await ask(engine.url, 'mixed', body)
    const found = await ask(stowage.url, 'mixed', body, words)
    const textless = (ids: number[]) => ids.map(id => (id % 2 === 1 ? id : null))
    expect(textless(found)).toEqual(textless(own))
    if (words === null) expect(found).toEqual(own)
    else expect(found).not.toEqual(own)
  })
})

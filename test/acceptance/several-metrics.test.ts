import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { chunk } from '../support/points.ts'
import { sendOk } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'

/** How far a point is from the question. */
const DISTANCES = { near: 0.1, far: 0.9 }
const QUESTION = [1, 0, 0, 0]

let engine: EmbeddedServer
beforeAll(async () => {
  engine = await startEmbeddedServer()
  for (const metric of ['Cosine', 'Dot', 'Euclid']) {
    await sendOk(engine.url, 'PUT', `/collections/${metric}`, { vectors: { size: 4, distance: metric } })
    const points = Object.entries(DISTANCES).map(([place, away], at) => {
      const { id, payload } = chunk(at + 1, `The ${place} gate of ${metric} is opened at dawn.`)
      return { id, payload: { ...payload, doc_id: `${metric}-${place}` }, vector: [1 - away, away, 0, 0] }
    })
    await sendOk(engine.url, 'PUT', `/collections/${metric}/points?wait=true`, { points })
  }
})
afterAll(() => engine.close())

describe('collections with different metrics', () => {
  it.each([
    { collection: ['Cosine', 'Euclid'] },
    { collection: ['Euclid', 'Dot'] },
    { collection: ['Euclid', 'Dot', 'Cosine'] },
  ])('have their nearest points before the others: $collection', async ({ collection }) => {
    const stowage = await openStowage({ QDRANT_URL: engine.url })
    const { json } = await stowage
      .ask({ query: 'gate', collection, vector: QUESTION, mode: 'semantic', trace: true })
      .finally(() => stowage.close())
    const ranked = (json.trace?.candidates ?? []).map(({ collection, doc_id, lists: [dense] }) => ({
      rank: dense?.rank,
      isNear: doc_id === `${collection}-near`,
    }))
    const byRank = ranked.sort((a, b) => (a.rank ?? 0) - (b.rank ?? 0)).map(({ isNear }) => isNear)
    expect(byRank).toEqual([...collection.map(() => true), ...collection.map(() => false)])
  })
})

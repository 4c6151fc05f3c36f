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
    const ranked = await rankedIn(collection)
    const isNear = ranked.map(({ collection, doc_id: document }) => document === `${collection}-near`)
    expect(isNear).toEqual([...collection.map(() => true), ...collection.map(() => false)])
  })

  it.each(['Empty', 'Euclid'])('leaves scores of one metric comparable beside those of another: %s', async other => {
    for (const [name, distance, aways] of [
      ['Beside', 'Cosine', [0.5, 0.6]],
      ['Empty', 'Dot', []],
    ] as const) {
      await sendOk(engine.url, 'DELETE', `/collections/${name}`)
      await sendOk(engine.url, 'PUT', `/collections/${name}`, { vectors: { size: 4, distance } })
      const points = aways.map((away, at) => ({
        ...chunk(at + 1, `The gate at ${away} is opened at noon.`),
        vector: [1 - away, away, 0, 0],
      }))
      if (points.length > 0) await sendOk(engine.url, 'PUT', `/collections/${name}/points?wait=true`, { points })
    }
    const ranked = await rankedIn(['Beside', 'Cosine', other])
    const ofCosine = ranked.filter(({ collection }) => collection !== other)
    expect(ofCosine.map(({ collection }) => collection)).toEqual(['Cosine', 'Beside', 'Beside', 'Cosine'])
  })
})

/** The candidates of a semantic search, by their ranks in the list. */
async function rankedIn(collection: string[]) {
  const stowage = await openStowage({ QDRANT_URL: engine.url })
  const { json } = await stowage
    .ask({ query: 'gate', collection, vector: QUESTION, mode: 'semantic', trace: true })
    .finally(() => stowage.close())
  const rankOf = ({ lists: [dense] }: { lists: { rank: number | null }[] }) => dense?.rank ?? 0
  return (json.trace?.candidates ?? []).sort((a, b) => rankOf(a) - rankOf(b))
}

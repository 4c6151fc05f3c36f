import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Trace } from '../../src/pipeline/trace/schema.ts'
import { chunk, fill, type TestPoint } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'

const KEEL = 'The keel of the Marlin is bent oak, and it was laid in winter.'
const textOf = (page: number, place: number) =>
  page === 3 && place === 2
    ? KEEL
    : `Paragraph ${page * 7 + place} tells of market day ${page * 31 + place * 5} in town ${page}.`

/** Three copies of a document, as a pipeline leaves them that gives new ids to points at each run. Those of one place stand together. */
const copies = Array.from({ length: 5 }, (_, place) =>
  [1, 2, 3].map(copy => at(place * 10 + copy, textOf(3, place), place)),
).flat()
/** A document whose index begins anew on each page. */
const pages = Array.from({ length: 8 }, (_, page) =>
  [0, 1, 2, 3].map(place => at(page * 10 + place + 1, textOf(page, place), place)),
).flat()

function at(id: number, text: string, place: number): TestPoint {
  return chunk(id, text, { doc_id: 'report', section_path: 'Report', order_index: place })
}

let stowage: Stowage
beforeAll(async () => {
  stowage = await openStowage()
  await fill(stowage.url, 'copies', copies)
  await fill(stowage.url, 'pages', pages)
})
afterAll(() => stowage.close())

/** The places of what is packed, and the ids that a search of Qdrant's gives. */
async function found(collection: string): Promise<{ packed: (number | null)[]; ids: number[] }> {
  const { json } = await stowage.ask({ query: 'keel of the Marlin', collection, trace: true })
  const { candidates } = json.trace as Trace
  const packed = candidates.filter(({ decision }) => decision === 'packed').map(one => one.order_index)
  const search = { query: { text: 'keel Marlin', model: 'qdrant/bm25' }, using: 'sparse', limit: 3 }
  const answer = await stowage.send('POST', `/collections/${collection}/points/query`, search)
  const { points } = (answer.json as { result: { points: { id: number }[] } }).result
  return { packed: packed.sort(), ids: points.map(({ id }) => id) }
}

describe('neighbours', () => {
  it('are found on both sides in a document that was indexed three times', async () => {
    const { packed, ids } = await found('copies')
    expect(packed).toEqual([1, 2, 3])
    expect(ids.map(id => Math.floor(id / 10)).sort()).toEqual([1, 2, 3])
  })

  it('are none in a document whose index begins anew on each page', async () => {
    expect(await found('pages')).toEqual({ packed: [null], ids: [33] })
  })
})

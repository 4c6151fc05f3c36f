import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EmbeddedServer } from '../../src/embedded/server.ts'
import { send } from '../support/send.ts'
import { startFilledServer } from './support/filled-server.ts'
import { rest } from './support/rest.ts'

let server: EmbeddedServer
const QUERY = '/collections/c/points/query'

beforeAll(async () => {
  server = await startFilledServer()
})
afterAll(() => server.close())

const dense = { query: [1, 1, 0, 0], using: 'dense' }

describe('the smaller routes', () => {
  it('takes points in columns, bare vectors, and gives them back bare', async () => {
    const points = '/collections/plain/points'
    const batch = {
      ids: [7, '0B5C8E1A00004F009A00C0FFEE000000'],
      vectors: [
        [0, 3],
        [4, 0],
      ],
      payloads: [{ a: 1 }, null],
    }
    const wrote = await rest(server.url, 'PUT', `${points}?wait=true`, { batch })
    expect(wrote.body.result).toEqual({ operation_id: 0, status: 'completed' })
    const near = await rest(server.url, 'POST', `${points}/search`, { vector: [0, 0], limit: 5, with_vector: true })
    expect(near.body.result).toEqual([
      { id: 7, version: 0, score: 3, vector: [0, 3] },
      { id: '0b5c8e1a-0000-4f00-9a00-c0ffee000000', version: 0, score: 4, vector: [4, 0] },
    ])
  })

  it('groups and batches', async () => {
    const groups = await rest<{ groups: { id: unknown; hits: { id: unknown }[] }[] }>(
      server.url,
      'POST',
      `${QUERY}/groups`,
      { ...dense, group_by: 'id', limit: 2, group_size: 1 },
    )
    expect(groups.body.result.groups.map(group => [group.id, group.hits.map(hit => hit.id)])).toEqual([
      [1, [1]],
      [2, [2]],
    ])
    const batch = await rest<unknown[]>(server.url, 'POST', `${QUERY}/batch`, { searches: [dense, { limit: 1 }] })
    expect(batch.body.result).toHaveLength(2)
  })

  it('groups by integers beyond 2^53', async () => {
    await rest(server.url, 'PUT', '/collections/large', { vectors: { size: 1, distance: 'Dot' } })
    const point = (id: number, from: string) => `{"id":${id},"vector":[${id}],"payload":{"from":${from}}}`
    const points = [point(1, '9007199254740993'), point(2, '[18446744073709551615, 7]'), point(3, '9007199254740993')]
    await send(server.url, 'PUT', '/collections/large/points', `{"points":[${points}]}`)
    const request = { query: [1], group_by: 'from', limit: 5 }
    const { text } = await send(server.url, 'POST', '/collections/large/points/query/groups', request)
    expect([...text.matchAll(/\],"id":(\d+)/g)].map(([, id]) => id)).toEqual([
      '9007199254740993',
      '18446744073709551615',
      '7',
    ])
  })

  it('changes payloads and vectors by points, by filter and in batches, sharing nothing between points', async () => {
    await rest(server.url, 'PUT', '/collections/w', { vectors: { size: 2, distance: 'Dot' } })
    const post = (path: string, body: unknown) => rest(server.url, 'POST', `/collections/w/points${path}`, body)
    const operations = [
      { upsert: { points: [1, 2, 3].map(id => ({ id, vector: [id, 0], payload: { id } })) } },
      { set_payload: { payload: { deep: { x: 1, y: [{ z: 1 }, { z: 2 }] } }, points: [1, 2] } },
      { delete_payload: { keys: ['deep.x', 'deep.y[].z'], filter: { must: [{ has_id: [1] }] } } },
      { set_payload: { payload: { new: true }, key: 'deep', points: [2] } },
      { overwrite_payload: { payload: { only: 1 }, points: [3] } },
      { update_vectors: { points: [{ id: 3, vector: [0, 9] }] } },
    ]
    const { body } = await post('/batch?wait=true', { operations })
    expect(body.result).toEqual(operations.map((_, i) => ({ operation_id: i, status: 'completed' })))
    expect((await post('/scroll', { with_vector: true })).body.result).toEqual({
      points: [
        { id: 1, payload: { id: 1, deep: { y: [{}, {}] } }, vector: [1, 0] },
        { id: 2, payload: { id: 2, deep: { x: 1, y: [{ z: 1 }, { z: 2 }], new: true } }, vector: [2, 0] },
        { id: 3, payload: { only: 1 }, vector: [0, 9] },
      ],
      next_page_offset: null,
    })
    await post('/payload/clear', { points: [1] })
    await post('/vectors/delete', { points: [2], vector: [''] })
    await post('/delete', { points: [3, 99] })
    expect((await post('/scroll', { with_vector: true })).body.result).toEqual({
      points: [
        { id: 1, payload: {}, vector: [1, 0] },
        { id: 2, payload: expect.anything(), vector: {} },
      ],
      next_page_offset: null,
    })
  })

  it('honours update_filter, so that one tenant cannot overwrite another', async () => {
    const put = (body: unknown) => rest(server.url, 'PUT', '/collections/t/points', body)
    await rest(server.url, 'PUT', '/collections/t', { vectors: { size: 1, distance: 'Dot' } })
    const point = (id: number, tenant: string) => ({ id, vector: [1], payload: { tenant } })
    const update_filter = { must: [{ key: 'tenant', match: { value: 'b' } }] }
    await put({ points: [point(1, 'a'), point(2, 'b')] })
    await put({ points: [1, 2, 3].map(id => point(id, 'b')), update_filter })
    const { body } = await rest<{ points: { payload: { tenant: string } }[] }>(
      server.url,
      'POST',
      '/collections/t/points/scroll',
      {},
    )
    expect(body.result.points.map(stored => stored.payload.tenant).join('')).toBe('abb')
    const points = [1, 2].map(id => ({ id, vector: [9] }))
    await rest(server.url, 'PUT', '/collections/t/points/vectors', { points, update_filter })
    const vectors = await rest<{ vector: number[] }[]>(server.url, 'POST', '/collections/t/points', {
      ids: [1, 2],
      with_vector: true,
    })
    expect(vectors.body.result.map(stored => stored.vector)).toEqual([[1], [9]])
  })
})

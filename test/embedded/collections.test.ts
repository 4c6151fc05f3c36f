import { QdrantClient } from '@qdrant/js-client-rest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { rest } from './support/rest.ts'

const SCHEMA = { vectors: { size: 2, distance: 'Dot' }, sparse_vectors: { words: {} } }

let folder: string
let server: EmbeddedServer
beforeEach(async () => {
  folder = temporaryFolder('embedded')
  server = await startEmbeddedServer({ path: folder })
  await rest(server.url, 'PUT', '/collections/c', SCHEMA)
  const points = [1, 2, 3].map(id => ({ id, vector: [id, 1], payload: { tag: id % 2 === 0 ? 'even' : 'odd' } }))
  await rest(server.url, 'PUT', '/collections/c/points', { points })
})
afterEach(async () => {
  await server.close()
})

async function reopen(): Promise<void> {
  await server.close()
  server = await startEmbeddedServer({ path: folder })
}

const change = (...actions: object[]) => rest(server.url, 'POST', '/collections/aliases', { actions })
const create = (alias_name: string, collection_name: string) => ({ create_alias: { alias_name, collection_name } })
const listed = async (path = '/aliases') => (await rest(server.url, 'GET', path)).body.result

describe('aliases', () => {
  it('stand for their collection on every route and outlive the process', async () => {
    expect((await change(create('a', 'c'), create('b', 'c'))).body.result).toBe(true)
    await reopen()
    await reopen()
    const aliases = ['a', 'b'].map(alias_name => ({ alias_name, collection_name: 'c' }))
    expect(await listed()).toEqual({ aliases })
    expect(await listed('/collections/a/aliases')).toEqual({ aliases })
    expect((await rest(server.url, 'GET', '/collections')).body.result).toEqual({ collections: [{ name: 'c' }] })
    expect((await rest(server.url, 'GET', '/collections/a/exists')).body.result).toEqual({ exists: true })
    const client = new QdrantClient({ url: server.url, checkCompatibility: false })
    await client.upsert('a', { points: [{ id: 4, vector: [4, 1] }] })
    expect((await client.query('b', { query: [1, 0], limit: 1 })).points[0]?.id).toBe(4)
    expect(await client.count('c')).toEqual({ count: 4 })
    await client.updateCollectionAliases({
      actions: [{ rename_alias: { old_alias_name: 'a', new_alias_name: 'd' } }, { delete_alias: { alias_name: 'b' } }],
    })
    await reopen()
    expect(await listed()).toEqual({ aliases: [{ alias_name: 'd', collection_name: 'c' }] })
    expect((await rest(server.url, 'GET', '/collections/a')).status).toBe(404)
    await rest(server.url, 'DELETE', '/collections/c')
    expect(await listed()).toEqual({ aliases: [] })
  })

  it('are changed all or not at all', async () => {
    await rest(server.url, 'PUT', '/collections/e', SCHEMA)
    for (const [action, status, text] of [
      [create('x', 'none'), 404, "Not found: Collection `none` doesn't exist!"],
      [create('e', 'c'), 409, 'Wrong input: Collection `e` already exists!'],
      [
        { rename_alias: { old_alias_name: 'none', new_alias_name: 'x' } },
        404,
        'Not found: Alias none does not exists!',
      ],
      [{ rename_alias: { old_alias_name: 'kept', new_alias_name: 'e' } }, 409, 'already exists'],
      [{ create_alias: { alias_name: 'x' } }, 400, 'missing field `collection_name`'],
      [{ move_alias: {} }, 400, 'Format error in JSON body'],
    ] as const) {
      const answer = await change(create('kept', 'c'), action)
      expect(answer.status).toBe(status)
      expect(answer.error).toContain(text)
      expect(await listed()).toEqual({ aliases: [] })
    }
    await change(create('taken', 'c'))
    const refused = await rest(server.url, 'PUT', '/collections/taken', SCHEMA)
    expect(refused.status).toBe(400)
    expect(refused.error).toContain('Alias with the same name already exists')
  })
})

describe('PATCH of a collection', () => {
  const patch = (body: object) => rest(server.url, 'PATCH', '/collections/c', body)
  const info = async () =>
    (await rest<{ config: { [section: string]: unknown } }>(server.url, 'GET', '/collections/c')).body.result.config

  it('changes what the info shows, section by section, and outlives the process', async () => {
    const before = await info()
    const quantization_config = { scalar: { type: 'int8', quantile: 0.8 } }
    const first = await patch({
      vectors: { '': { hnsw_config: { m: 32 }, quantization_config, on_disk: true } },
      sparse_vectors: { words: { index: { on_disk: true } } },
      hnsw_config: { ef_construct: 123 },
      optimizers_config: { indexing_threshold: 5 },
      quantization_config,
      params: { on_disk_payload: false },
      metadata: { owner: 'x' },
    })
    expect(first.body.result).toBe(true)
    await patch({ vectors: { '': { hnsw_config: { ef_construct: 50 } } }, quantization_config: 'Disabled' })
    await reopen()
    expect(await info()).toEqual({
      ...before,
      params: {
        ...(before.params as object),
        vectors: {
          size: 2,
          distance: 'Dot',
          hnsw_config: { m: 32, ef_construct: 50 },
          quantization_config,
          on_disk: true,
        },
        sparse_vectors: { words: { index: { on_disk: true } } },
        on_disk_payload: false,
      },
      hnsw_config: { ...(before.hnsw_config as object), ef_construct: 123 },
      optimizer_config: { ...(before.optimizer_config as object), indexing_threshold: 5 },
      metadata: { owner: 'x' },
    })
  })

  it('refuses unknown vectors and faulty values, and changes nothing', async () => {
    const before = await info()
    for (const [body, status, text] of [
      [{ vectors: { no: {} }, hnsw_config: { m: 8 } }, 400, 'Not existing vector name error: no'],
      [{ sparse_vectors: { no: {} } }, 400, 'Not existing vector name error: no'],
      [{ hnsw_config: { ef_construct: 3 } }, 422, 'hnsw_config.ef_construct: value 3 invalid, must be 4 or larger'],
      [{ strict_mode_config: { enabled: true } }, 501, 'strict_mode_config'],
    ] as const) {
      const answer = await patch(body)
      expect(answer.status).toBe(status)
      expect(answer.error).toContain(text)
    }
    expect(await info()).toEqual(before)
    expect((await rest(server.url, 'PATCH', '/collections/none', {})).status).toBe(404)
  })
})

describe('the older searches', () => {
  const post = async (path: string, body: object) =>
    (await rest(server.url, 'POST', `/collections/c/points/${path}`, body)).body.result

  it('answer what the query answers that says the same', async () => {
    const recommend = { positive: [1], negative: [2, [0.5, 0.5]], limit: 3, with_payload: true }
    const { positive, negative, ...others } = recommend
    const asQuery = { ...others, query: { recommend: { positive, negative } } }
    const queried = (await post('query', asQuery)) as { points: unknown[] }
    expect(queried.points).toHaveLength(1)
    expect(await post('recommend', recommend)).toEqual(queried.points)
    expect(await post('recommend/batch', { searches: [recommend, recommend] })).toEqual([
      queried.points,
      queried.points,
    ])
    const groups = { group_by: 'tag', group_size: 2, limit: 5 }
    expect(await post('recommend/groups', { ...recommend, ...groups })).toEqual(
      await post('query/groups', { ...asQuery, ...groups }),
    )
    const search = { vector: [1, 2], score_threshold: 3, ...groups }
    const grouped = await post('search/groups', search)
    expect(grouped).toEqual(await post('query/groups', { query: [1, 2], score_threshold: 3, ...groups }))
    expect(grouped).toMatchObject({
      groups: [
        { id: 'odd', hits: [{ id: 3 }] },
        { id: 'even', hits: [{ id: 2 }] },
      ],
    })
  })

  it('need what Qdrant needs', async () => {
    for (const [path, body, status, text] of [
      ['recommend', { positive: [1] }, 400, 'missing field `limit`'],
      ['recommend', { limit: 1 }, 400, 'At least one positive vector ID required'],
      ['recommend', { positive: [9], limit: 1 }, 404, 'No point with id 9 found'],
      ['recommend', { positive: [1], strategy: 'best_score', limit: 1 }, 501, 'best_score'],
      ['search/groups', { vector: [1, 2], limit: 1, group_size: 1 }, 400, 'missing field `group_by`'],
    ] as const) {
      const answer = await rest(server.url, 'POST', `/collections/c/points/${path}`, body)
      expect(answer.error).toContain(text)
      expect(answer.status).toBe(status)
    }
  })
})

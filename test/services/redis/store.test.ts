import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisStore } from '../../../src/adapters/shared/redis.ts'
import { sharedStoreContract } from '../../support/shared-store-contract.ts'
import { describeWith } from '../support/programs.ts'
import { type Redis, startRedis } from '../support/redis.ts'

describeWith('redis')('the shared store in a real Redis', () => {
  let redis: Redis
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.close())
  const open = async () => {
    const store = createRedisStore({ url: redis.url, prefix: 'test:' })
    await store.attempted(10_000)
    return store
  }
  sharedStoreContract(async () => ({ store: await open(), wait: milliseconds => sleep(milliseconds) }))

  test('takes what another program left under its keys for nothing', async () => {
    await redis.command('RPUSH', 'test:list', 'a')
    await redis.command('RPUSH', 'test:bucket', 'a')
    await redis.command('SET', 'test:words', 'no bucket')
    const store = await open()
    expect(await store.getMany(['list'])).toEqual([null])
    for (const key of ['bucket', 'words']) expect(await store.takeToken(key, { perSecond: 1, burst: 1 })).toBe(0)
    await store.setMany([{ key: 'list', value: Buffer.from('mine'), ttlMs: 1_000 }])
    expect(await store.getMany(['list'])).toEqual([Buffer.from('mine')])
    await store.close()
  })

  test('gives every key a time to live', async () => {
    const store = await open()
    await store.setMany([{ key: 'ttl', value: Buffer.from('x'), ttlMs: 5_000 }])
    await store.takeToken('ttl-bucket', { perSecond: 1, burst: 3 })
    for (const key of ['test:ttl', 'test:ttl-bucket'])
      expect(Number((await redis.command('PTTL', key)).slice(1).split('\r')[0])).toBeGreaterThan(0)
    await store.close()
  })
})

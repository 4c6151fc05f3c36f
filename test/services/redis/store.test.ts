import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisStore } from '../../../src/adapters/shared/redis.ts'
import { sharedStoreContract } from '../../support/shared-store-contract.ts'
import { describeWith } from '../support/programs.ts'
import { type Redis, startRedis } from '../support/redis.ts'
import { until } from '../support/wait.ts'

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

  test('goes to the server that has taken the place of the one it is connected to', async () => {
    const next = await startRedis()
    let port = redis.port
    // An address such as that of a managed Redis: it leads to another server after a failover, and open connections stay.
    const address = createServer(socket => {
      const server = connect({ port, host: '127.0.0.1' })
      for (const side of [socket, server]) side.on('error', () => {})
      socket.pipe(server).pipe(socket)
    })
    await new Promise<void>(resolve => address.listen(0, '127.0.0.1', resolve))
    const url = redis.url.replace(/:\d+$/u, `:${(address.address() as AddressInfo).port}`)
    const store = createRedisStore({ url, prefix: 'test:' })
    try {
      await store.attempted(10_000)
      const write = () => store.setMany([{ key: 'moved', value: Buffer.from('x'), ttlMs: 60_000 }])
      await write()
      await redis.command('REPLICAOF', '127.0.0.1', String(next.port))
      port = next.port
      await until('the new server is written', () =>
        write().then(
          () => true,
          () => undefined,
        ),
      )
      expect(await next.command('EXISTS', 'test:moved')).toContain(':1')
    } finally {
      await store.close()
      await redis.command('REPLICAOF', 'NO', 'ONE')
      address.close()
      await next.close()
    }
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

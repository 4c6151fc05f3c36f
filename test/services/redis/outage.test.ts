import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { chunk, fill, upsert } from '../../support/points.ts'
import { describeWith } from '../support/programs.ts'
import { type Redis, startRedis } from '../support/redis.ts'
import { freePort, until } from '../support/wait.ts'
import { openReplicas, type Replica } from './support/replicas.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function openWorld(environment: Record<string, string>, count = 1) {
  const world = await openReplicas(count, { CACHE_TTL_MS: '600000', ...environment })
  closing.push(world.close)
  await fill(world.engine.url, 'harbour', [chunk(1, 'The sluice is opened at dawn.')])
  return world
}

async function openRedis(): Promise<Redis> {
  const redis = await startRedis()
  closing.push(redis.close)
  return redis
}

/** Asks without a pause, now equal questions and now new ones, also in sessions. `end` gives the statuses of all answers. */
function startLoad(replicas: readonly Replica[]) {
  const statuses: number[] = []
  let ended = false
  const ask = async (replica: Replica, from: number) => {
    for (let at = from; !ended; at++) {
      const session = at % 3 === 0 ? { session_id: `s${at % 5}`, order: 'stable' } : {}
      const { status } = await replica.ask({ query: `sluice ${at % 50}`, collection: 'harbour', ...session })
      statuses.push(status)
      if (at % 20 === 0)
        await upsert(replica.url, 'harbour', [chunk(2 + (at % 5), `The sluice was painted ${at} times.`)])
    }
  }
  const running = replicas.flatMap(replica => [0, 1_000, 2_000].map(from => ask(replica, from)))
  closing.push(() => {
    ended = true
  })
  return {
    /** Resolves after so many more answers. */
    async more(count: number) {
      const wanted = statuses.length + count
      await until(`${count} more answers`, () => statuses.length >= wanted)
    },
    async end() {
      ended = true
      await Promise.all(running)
      return statuses
    },
  }
}

const untilOk = (replica: Replica, ok: boolean) =>
  until(`the store ${ok ? 'works' : 'fails'}`, async () => (await replica.health()).ok === ok)
const sumOf = async (replica: Replica, operation: 'reads' | 'writes', result: string) => {
  const kinds = ['answers', 'epochs', 'sessions']
  const series = kinds.map(kind => `stowage_shared_${operation}_total{kind="${kind}",result="${result}"}`)
  const values = await Promise.all(series.map(one => replica.metric(one)))
  return values.reduce<number>((sum, value) => sum + (value ?? 0), 0)
}

describeWith('redis')('under load, no request fails', () => {
  test.each<[string, (redis: Redis) => unknown, (redis: Redis) => unknown]>([
    ['is killed and started again', redis => redis.kill(), redis => redis.start()],
    ['hangs and goes on', redis => redis.pause(), redis => redis.resume()],
  ])('while Redis %s', async (_, stop, start) => {
    const redis = await openRedis()
    const { replicas } = await openWorld({ REDIS_URL: redis.url }, 2)
    const load = startLoad(replicas)
    await load.more(100)
    await stop(redis)
    for (const replica of replicas) await untilOk(replica, false)
    await load.more(150)
    for (const replica of replicas) {
      expect(await replica.health()).toEqual({ ready: true, ok: false })
      expect(await replica.metric('stowage_shared_store_available{operation="read"}')).toBe(0)
      // Only what was on its way has waited. Everything after it did not ask.
      expect(await sumOf(replica, 'reads', 'failed')).toBeLessThanOrEqual(20)
      expect(await sumOf(replica, 'reads', 'skipped')).toBeGreaterThan(20)
    }
    await start(redis)
    for (const replica of replicas) await untilOk(replica, true)
    await load.more(100)
    const hits = await sumOf(replicas[0] as Replica, 'reads', 'hit')
    await until('values are shared again', async () => (await sumOf(replicas[0] as Replica, 'reads', 'hit')) > hits)
    const statuses = await load.end()
    expect(new Set(statuses)).toEqual(new Set([200]))
    for (const replica of replicas) {
      const told = (operation: string) => replica.log.filter(line => line.startsWith(operation))
      expect(told('read')).toEqual(['read: fails', 'read: works again'])
      // A write that is on its way when Redis goes on does not fail.
      expect([[], ['write: fails', 'write: works again']]).toContainEqual(told('write'))
    }
  })

  test('while Redis is full, and what it has is still read', async () => {
    const redis = await openRedis()
    const { replicas } = await openWorld({ REDIS_URL: redis.url })
    const [replica] = replicas as [Replica]
    const load = startLoad(replicas)
    await load.more(50)
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    await untilOk(replica, false)
    expect(await replica.metric('stowage_shared_store_available{operation="write"}')).toBe(0)
    expect(await replica.metric('stowage_shared_store_available{operation="read"}')).toBe(1)
    await load.more(100)
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    await untilOk(replica, true)
    expect(new Set(await load.end())).toEqual(new Set([200]))
    expect(replica.log).toEqual(['write: fails', 'write: works again'])
  })
})

describeWith('redis')('a write through one replica', () => {
  test('hides the answers of the other, also when Redis was full or empty meanwhile', async () => {
    const redis = await openRedis()
    const { replicas } = await openWorld({ REDIS_URL: redis.url }, 2)
    const [a, b] = replicas as [Replica, Replica]
    const question = { query: 'sluice', collection: 'harbour', trace: true }
    const cacheOf = async (replica: Replica) => (await replica.ask(question)).json.trace?.cache
    const shared = () => until('b finds the answer', async () => (await cacheOf(b)) === 'hit')
    await cacheOf(a)
    await shared()
    await redis.command('CONFIG', 'SET', 'maxmemory', '1')
    await upsert(a.url, 'harbour', [chunk(7, 'The sluice has a new gate.')])
    const { json } = await b.ask(question)
    expect(json.trace?.cache).not.toBe('hit')
    expect(json.context).toContain('new gate')
    await redis.command('CONFIG', 'SET', 'maxmemory', '0')
    await untilOk(b, true)
    await cacheOf(b)
    await shared()
    await redis.command('FLUSHALL')
    await upsert(a.url, 'harbour', [chunk(8, 'The sluice has a keeper.')])
    expect((await b.ask(question)).json.context).toContain('keeper')
  })
})

describeWith('redis')('stowage starts, answers and says that it is alone', () => {
  async function expectAlone(url: string) {
    const { replicas } = await openWorld({ REDIS_URL: url })
    const [replica] = replicas as [Replica]
    expect(await replica.health()).toEqual({ ready: true, ok: false })
    const question = { query: 'sluice', collection: 'harbour', trace: true }
    expect((await replica.ask(question)).json.trace?.cache).toBe('miss')
    expect((await replica.ask(question)).json.trace?.cache).toBe('hit')
    expect(replica.log.toSorted()).toEqual(['read: fails', 'write: fails'])
  }

  test('when nobody listens', async () => expectAlone(`redis://127.0.0.1:${await freePort()}`))

  test('when the password is wrong', async () => {
    const redis = await openRedis()
    await expectAlone(redis.url.replace(/:[^:@]+@/u, ':wrong@'))
  })

  test('when the server takes connections and never answers', async () => {
    const sockets = new Set<Socket>()
    const server = createServer(socket => sockets.add(socket.on('error', () => {})))
    closing.push(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    await expectAlone(`redis://127.0.0.1:${(server.address() as { port: number }).port}`)
  })

  test('when another service answers', async () => {
    const server = createServer(socket => socket.on('error', () => {}).write('HTTP/1.1 400 Bad Request\r\n\r\n'))
    closing.push(() => server.close())
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    await expectAlone(`redis://127.0.0.1:${(server.address() as { port: number }).port}`)
  })
})

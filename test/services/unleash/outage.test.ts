import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, type FlagWorld, openFlagWorld, samplesOf, TENANTS } from '../support/flag-world.ts'
import { describeWith } from '../support/programs.ts'
import type { StowageProcess } from '../support/stowage.ts'
import { freePort, until } from '../support/wait.ts'

const FLAG = 'stowage.sentence-mode'

describeWith('postgres', 'unleash')('an outage of Unleash and of its database', () => {
  let world: FlagWorld
  beforeAll(async () => {
    world = await openFlagWorld()
    await world.unleash.admin.createFlag(FLAG)
    await world.unleash.admin.setStrategy(FLAG, {})
    await world.unleash.admin.turn(FLAG, 'on')
  })
  afterAll(() => world?.close())

  const untilMode = (stowage: StowageProcess, mode: string) =>
    until(`the mode is ${mode}`, async () => (await ask(stowage, 'acme')).trace.plan.packing.mode === mode)

  test('loses no request and keeps the last known values, and changes arrive again afterwards', async () => {
    const { unleash, postgres } = world
    const stowage = await world.startStowage()
    await untilMode(stowage, 'sentence')
    const load = startLoad(stowage)

    await load.more(20)
    await unleash.kill()
    await until('stowage sees that Unleash is away', async () =>
      (await samplesOf(stowage, 'stowage_flags_source_up')).some(line => line.endsWith(' 0')),
    )
    await load.more(20)
    await postgres.kill()
    await load.more(20)
    const modes = await load.end()
    expect(modes.length).toBeGreaterThanOrEqual(60)
    expect(new Set(modes)).toEqual(new Set(['sentence']))

    await postgres.start()
    await unleash.start()
    await unleash.admin.turn(FLAG, 'off')
    await untilMode(stowage, 'passage')
    await unleash.admin.turn(FLAG, 'on')
    await untilMode(stowage, 'sentence')
    await stowage.stop()
  })

  test('a start without Unleash takes the flags file, else the plan', async () => {
    const nobody = { UNLEASH_URL: `http://127.0.0.1:${await freePort()}/api` }
    const file = {
      version: 2,
      features: [{ name: FLAG, type: 'release', enabled: true, strategies: [{ name: 'default', parameters: {} }] }],
    }
    await world.folder.write('flags.json', JSON.stringify(file))
    const withFile = await world.startStowage({ ...nobody, FLAGS_FILE: world.folder.at('flags.json') })
    expect((await ask(withFile, 'acme')).trace).toMatchObject({
      plan: { packing: { mode: 'sentence' } },
      flags: [{ flag: FLAG, enabled: true, source: 'file' }],
    })
    expect((await withFile.stop()).code).toBe(0)

    const bare = await world.startStowage(nobody)
    expect((await ask(bare, 'acme')).trace).toMatchObject({ plan: { packing: { mode: 'passage' } }, flags: [] })
    expect((await bare.stop()).code).toBe(0)
  })

  test('an Unleash that hangs holds neither the start nor the end', async () => {
    world.unleash.signal('SIGSTOP')
    try {
      const stowage = await world.startStowage()
      expect((await ask(stowage, 'acme')).status).toBe(200)
      // `stop` sends SIGKILL after 30 seconds, which is another end than code 0.
      expect(await stowage.stop()).toEqual({ code: 0, signal: null })
    } finally {
      world.unleash.signal('SIGCONT')
    }
  })

  test('a client that is stopped while Unleash goes away ends with code 0', async () => {
    const stowage = await world.startStowage()
    await untilMode(stowage, 'sentence')
    world.unleash.signal('SIGSTOP')
    await ask(stowage, 'acme')
    const ended = stowage.stop()
    await world.unleash.kill()
    expect(await ended).toEqual({ code: 0, signal: null })
    await world.unleash.start()
  })
})

/** Four clients that ask one question after the other. A request that fails ends the load with its reason. */
function startLoad(stowage: StowageProcess) {
  const modes: string[] = []
  let ending = false
  const client = async (at: number) => {
    while (!ending) {
      const { status, trace } = await ask(stowage, TENANTS[at % TENANTS.length] ?? 'acme')
      expect(status).toBe(200)
      modes.push(trace.plan.packing.mode)
    }
  }
  const clients = Promise.all(Array.from({ length: 4 }, (_, at) => client(at)))
  clients.catch(() => {})
  return {
    /** Resolves when that many more requests are answered. */
    async more(count: number): Promise<void> {
      const wanted = modes.length + count
      await Promise.race([until(`${count} more answers`, () => modes.length >= wanted), clients])
    },
    /** Ends the load, and resolves with the packing modes of all answers. */
    async end(): Promise<string[]> {
      ending = true
      await clients
      return modes
    },
  }
}

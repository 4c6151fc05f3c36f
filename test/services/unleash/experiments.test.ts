import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, type FlagWorld, openFlagWorld, TENANTS } from '../support/flag-world.ts'
import { describeWith } from '../support/programs.ts'
import type { StowageProcess } from '../support/stowage.ts'
import { until } from '../support/wait.ts'

const FLAG = 'stowage.experiment.sentences'
const SESSIONS = Array.from({ length: 300 }, (_, at) => `session-${at}`)
const SHARE = 0.1
/** Five standard deviations of a binomial: chance breaks this bound once in two million runs. */
const BOUND = 5 * Math.sqrt(SHARE * (1 - SHARE) * SESSIONS.length)

describeWith('postgres', 'unleash')('an experiment of a real Unleash', () => {
  let world: FlagWorld
  beforeAll(async () => {
    world = await openFlagWorld()
    const { admin } = world.unleash
    await admin.createFlag(FLAG, 'experiment')
    await admin.setStrategy(FLAG, {
      stickiness: 'sessionId',
      variants: [
        { name: 'control', weight: 900 },
        { name: 'sentences', weight: 100, payload: { type: 'json', value: '{"packing.mode": "sentence"}' } },
      ],
    })
    await admin.turn(FLAG, 'on')
  })
  afterAll(() => world?.close())

  /** The variant of each session. Fails when header, trace and plan disagree. */
  async function variantsOf(stowage: StowageProcess): Promise<(string | undefined)[]> {
    const variants: (string | undefined)[] = []
    for (const [at, session] of SESSIONS.entries()) {
      const { trace, headers } = await ask(stowage, TENANTS[at % TENANTS.length] ?? 'acme', session)
      expect(trace.assignment).toMatchObject({ experiment: 'sentences', unit: 'session' })
      expect(trace.assignment?.share).toBeCloseTo(trace.assignment?.variant === 'control' ? 0.9 : 0.1)
      expect(trace.plan.packing.mode).toBe(trace.assignment?.variant === 'control' ? 'passage' : 'sentence')
      expect(headers.get('x-stowage-variant')).toBe(`sentences=${trace.assignment?.variant}`)
      variants.push(trace.assignment?.variant)
    }
    return variants
  }

  test('gives each session one variant, which a restart does not change, in the declared shares', async () => {
    const first = await world.startStowage()
    await until('the experiment is known', async () => (await ask(first, 'acme', 'probe')).trace.assignment)
    const variants = await variantsOf(first)
    expect(Math.abs(variants.filter(name => name === 'sentences').length - SHARE * SESSIONS.length)).toBeLessThan(BOUND)
    await first.stop()

    const second = await world.startStowage()
    await until('the experiment is known', async () => (await ask(second, 'acme', 'probe')).trace.assignment)
    expect(await variantsOf(second)).toEqual(variants)
  })
})

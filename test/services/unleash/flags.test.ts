import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  appliedToSearch,
  ask,
  type FlagWorld,
  openFlagWorld,
  samplesOf,
  type TenantName,
} from '../support/flag-world.ts'
import { describeWith } from '../support/programs.ts'
import { openRefreshGate } from '../support/refresh-gate.ts'
import { runStowage, type StowageProcess } from '../support/stowage.ts'
import { until } from '../support/wait.ts'

const onlyFor = (...tenants: TenantName[]) => [{ contextName: 'userId', operator: 'IN' as const, values: tenants }]

describeWith('postgres', 'unleash')('flags of a real Unleash', () => {
  let world: FlagWorld
  let stowage: StowageProcess
  const admin = () => world.unleash.admin

  beforeAll(async () => {
    world = await openFlagWorld()
    const plans = world.folder.at('plans')
    await mkdir(plans)
    await writeFile(join(plans, 'short.json'), JSON.stringify({ 'packing.documentCap': 1 }))
    stowage = await world.startStowage({ PLANS_FOLDER: plans })
  })
  afterAll(() => world?.close())

  /** Waits until the plan of a tenant is as wanted. */
  const untilPlan = (tenant: TenantName, what: string, wanted: (plan: Awaited<ReturnType<typeof ask>>) => boolean) =>
    until(`the plan of ${tenant} has ${what}`, async () => {
      const asked = await ask(stowage, tenant)
      return wanted(asked) ? asked : null
    })

  test('a flag flipped for one tenant changes its plan within two refreshes, and nobody else’s', async () => {
    const gate = await openRefreshGate(world.unleash.url)
    const gated = await world.startStowage({ UNLEASH_URL: gate.url })
    const fingerprint = async (tenant: TenantName) => (await ask(gated, tenant)).trace.plan_fingerprint
    await admin().createFlag('stowage.sentence-mode')
    await admin().setStrategy('stowage.sentence-mode', { constraints: onlyFor('acme') })
    await admin().turn('stowage.sentence-mode', 'on')
    const before = await until('the flag is known', async () => {
      const { trace } = await ask(gated, 'acme')
      return trace.plan.packing.mode === 'sentence' ? trace : null
    })
    const ofBeta = await fingerprint('beta')

    gate.shut()
    await admin().turn('stowage.sentence-mode', 'off')
    await gate.letOneThrough()
    await gate.letOneThrough()
    // The gate is shut: what follows is from these two refreshes.
    const after = await until('the plan has changed', async () => {
      const { trace } = await ask(gated, 'acme')
      return trace.plan_fingerprint !== before.plan_fingerprint ? trace : null
    })
    expect(before.flags).toContainEqual({
      flag: 'stowage.sentence-mode',
      enabled: true,
      source: 'unleash',
      variant: null,
    })
    expect(after.plan.packing.mode).toBe('passage')
    expect(await fingerprint('beta')).toBe(ofBeta)
    await gated.stop()
    await gate.close()
    await admin().remove('stowage.sentence-mode')
  })

  test('the flag of the whole leaves searches of one tenant untouched, and improves those of the other', async () => {
    expect(await appliedToSearch(stowage, 'acme')).not.toBeNull()
    await admin().createFlag('stowage.improve', 'kill-switch')
    await admin().setStrategy('stowage.improve', {
      constraints: [{ contextName: 'userId', operator: 'NOT_IN', values: ['acme'] }],
    })
    await admin().turn('stowage.improve', 'on')
    // Until it is on, the flag is off for both.
    await until(
      'searches of acme alone pass through',
      async () =>
        (await appliedToSearch(stowage, 'beta')) !== null && (await appliedToSearch(stowage, 'acme')) === null,
    )
    await admin().remove('stowage.improve')
    await until('searches of acme are improved', async () => (await appliedToSearch(stowage, 'acme')) !== null)
  })

  test('a variant changes plan values by JSON, or by the name of a plan file', async () => {
    await admin().createFlag('stowage.document-cap')
    const variant = (type: 'json' | 'string', value: string) => ({
      constraints: onlyFor('beta'),
      variants: [{ name: 'tried', weight: 1000, payload: { type, value } }],
    })
    await admin().setStrategy(
      'stowage.document-cap',
      variant('json', '{"packing.documentCap": 3, "dedupe.containment": null}'),
    )
    await admin().turn('stowage.document-cap', 'on')
    const byJson = await untilPlan('beta', 'a cap of 3', ({ trace }) => trace.plan.packing.documentCap === 3)
    expect(byJson.trace.plan.dedupe.containment).toBeNull()
    expect(byJson.trace.flags).toContainEqual(
      expect.objectContaining({ flag: 'stowage.document-cap', variant: 'tried' }),
    )
    expect((await ask(stowage, 'acme')).trace.plan.packing.documentCap).toBeNull()

    await admin().setStrategy('stowage.document-cap', variant('string', 'short'))
    await untilPlan('beta', 'a cap of 1', ({ trace }) => trace.plan.packing.documentCap === 1)
    await admin().remove('stowage.document-cap')
  })

  test('a flag that names nothing known is in the log and in the metrics, and changes nothing', async () => {
    const { trace } = await ask(stowage, 'acme')
    await admin().createFlag('stowage.sentense-mode')
    await admin().turn('stowage.sentense-mode', 'on')
    await until('the metric counts it', async () =>
      (await samplesOf(stowage, 'stowage_flags_unknown ')).includes('stowage_flags_unknown 1'),
    )
    expect(stowage.output()).toMatch(/stowage\.sentense-mode.*stowage\.sentence-mode/u)
    expect((await ask(stowage, 'acme')).trace.plan_fingerprint).toBe(trace.plan_fingerprint)
    await admin().remove('stowage.sentense-mode')
  })

  test('Unleash shows how often stowage asked for a flag', async () => {
    await admin().createFlag('stowage.novelty')
    await admin().setStrategy('stowage.novelty', { constraints: onlyFor('acme') })
    await admin().turn('stowage.novelty', 'on')
    await untilPlan('acme', 'novelty', ({ trace }) => trace.plan.packing.noveltyAlpha > 0)
    const counted = async () => {
      await ask(stowage, 'acme')
      await ask(stowage, 'beta')
      const { yes, no, applications } = await admin().usage('stowage.novelty')
      return yes > 0 && no > 0 && applications.includes('stowage')
    }
    // The client sends its counts once a minute.
    await until('both answers are counted', counted, { pauseMs: 1_000, mostMs: 170_000 })
  })

  test('`stowage flags` shows the value of each tenant, and where it comes from', async () => {
    const flags = await listed({ ...world.environment, STOWAGE_FLAGS_OFF: 'mmr' })
    const of = (flag: string, tenant: TenantName) =>
      flags.find(one => one.flag === `stowage.${flag}` && one.tenant === tenant)
    expect(of('novelty', 'acme')).toMatchObject({ on: 1, source: 'unleash' })
    expect(of('novelty', 'beta')).toMatchObject({ on: 0, source: 'unleash' })
    expect(of('mmr', 'acme')).toMatchObject({ on: 0, source: 'kill_switch' })
    expect(of('dedupe', 'beta')).toMatchObject({ on: 1, source: 'plan' })
    await admin().remove('stowage.novelty')
  })

  // The last one: it sets every switch.
  test('Unleash imports what `stowage flags export` prints, and serves flags of the same meaning', async () => {
    const experiment = ['--experiment', 'round-trip', '--share', '25', '--plan', '{"packing.mode": "sentence"}']
    await admin().importFlags(JSON.parse(await runStowage(['flags', 'export', ...experiment])))
    await world.folder.write('exported.json', await runStowage(['flags', 'export', '--file', ...experiment]))
    const { UNLEASH_URL: _url, UNLEASH_API_TOKEN: _token, UNLEASH_REFRESH_MS: _refresh, ...alone } = world.environment
    const byFile = await listed({ ...alone, FLAGS_FILE: world.folder.at('exported.json') })
    const byServer = await listed(world.environment)
    const switches = (flags: Listed[]) =>
      flags.filter(({ kind }) => kind === 'switch').map(({ flag, tenant, on }) => ({ flag, tenant, on }))
    expect(switches(byServer)).toEqual(switches(byFile))
    expect(new Set(byServer.map(({ source }) => source))).toEqual(new Set(['unleash']))
    for (const trial of [...byFile, ...byServer].filter(({ kind }) => kind === 'experiment')) {
      expect(trial).toMatchObject({ flag: 'stowage.experiment.round-trip', on: 1 })
      // Shares of a thousand sessions: five standard deviations.
      expect(Math.abs((trial.variants.treatment ?? 0) - 0.25)).toBeLessThan(0.07)
    }
    expect(byServer.some(({ kind }) => kind === 'experiment')).toBe(true)
  })
})

interface Listed {
  flag: string
  kind: string
  tenant: string | null
  on: number
  source: string
  variants: Record<string, number>
}

/** What `stowage flags` lists in this environment. */
async function listed(environment: Record<string, string>): Promise<Listed[]> {
  return (JSON.parse(await runStowage(['flags', '--json'], environment)) as { flags: Listed[] }).flags
}

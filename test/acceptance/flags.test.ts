import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { always, type FakeFeature, forTenants, startFakeUnleash } from '../adapters/flags/support/fake-unleash.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../support/tenants-file.ts'

const OF_BOTH = { tenant: ['acme', 'beta'] }

let engine: EmbeddedServer
let unleash: Awaited<ReturnType<typeof startFakeUnleash>>
let tenantsFile: Awaited<ReturnType<typeof openTenantsFile>>
let stowage: Stowage
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await fill(engine.url, 'harbour', [
    chunk(1, 'The sluice is opened at dawn by the warden of the harbour.', OF_BOTH),
    chunk(2, 'The sluice is opened at dawn by the warden of the harbour.', OF_BOTH),
    chunk(3, 'The harbour bell hangs over the sluice gate.', OF_BOTH),
  ])
  unleash = await startFakeUnleash([])
  tenantsFile = await openTenantsFile(declareTenants({ acme: {}, beta: {} }))
  stowage = await openStowage({
    QDRANT_URL: engine.url,
    TENANTS_FILE: tenantsFile.path,
    UNLEASH_URL: unleash.url,
    UNLEASH_REFRESH_MS: '100',
    CACHE_TTL_MS: '600000',
    STOWAGE_FLAGS_OFF: 'novelty',
  })
})
afterAll(async () => {
  await stowage.close()
  await unleash.close()
  await tenantsFile.remove()
  await engine.close()
})

/** Sets the flags of the server, and waits until stowage has them: the refresh after the next begins when the next has ended. */
async function setFlags(...features: FakeFeature[]) {
  unleash.set(features)
  await unleash.asked()
  await unleash.asked()
}

const KILLED = { flag: 'stowage.novelty', enabled: false, source: 'kill_switch', variant: null }

async function askAs(tenant: string, more: object = {}) {
  const body = { query: 'sluice warden', collection: 'harbour', trace: true, ...more }
  const { status, json } = await stowage.ask(body, { 'api-key': tenant })
  expect(status).toBe(200)
  return json.trace ?? expect.unreachable()
}

async function searchAs(tenant: string) {
  const query = {
    query: { text: 'sluice warden', model: 'qdrant/bm25' },
    using: 'sparse',
    limit: 3,
    with_payload: true,
  }
  const answer = await stowage.send('POST', '/collections/harbour/points/query', query, { 'api-key': tenant })
  expect(answer.status).toBe(200)
  return answer.headers.get('x-stowage-applied')
}

async function readiness(of: Stowage) {
  const { json } = await of.send('GET', '/readyz')
  return json as { ready: boolean; checks: { name: string; ok: boolean; detail?: string }[] }
}

describe('a flag of Unleash', () => {
  it('that is flipped for one tenant changes the plan of its next request, and of nobody else', async () => {
    await setFlags()
    const before = { acme: await askAs('acme'), beta: await askAs('beta') }
    expect(before.acme).toMatchObject({ flags: [KILLED], plan: { dedupe: { containment: 0.9 } } })
    await setFlags({ name: 'stowage.dedupe', enabled: true, strategies: [forTenants('beta')] })
    const after = { acme: await askAs('acme'), beta: await askAs('beta') }
    expect(after.acme.plan.dedupe).toEqual({ containment: null })
    expect(after.acme.flags).toContainEqual({
      flag: 'stowage.dedupe',
      enabled: false,
      source: 'unleash',
      variant: null,
    })
    expect(after.beta.plan).toEqual(before.beta.plan)
    expect(after.beta.flags).toContainEqual({ flag: 'stowage.dedupe', enabled: true, source: 'unleash', variant: null })
    // The cached answer belongs to the plan of before: another plan never finds it.
    expect([before.acme.cache, after.acme.cache, after.beta.cache]).toEqual(['miss', 'miss', 'hit'])
    expect(after.acme.plan_fingerprint).not.toBe(before.acme.plan_fingerprint)
    await setFlags()
    expect((await askAs('acme')).cache).toBe('hit')
  })

  it('that switches off the whole lets searches of the tenant pass through, and packs without rules', async () => {
    await setFlags({ name: 'stowage.improve', enabled: true, strategies: [forTenants('beta')] })
    expect(await searchAs('acme')).toBeNull()
    expect(await searchAs('beta')).not.toBeNull()
    expect((await askAs('acme')).plan).toMatchObject({
      dedupe: { containment: null },
      reunification: { enabled: false },
      packing: { sentenceCut: false },
    })
  })

  it('with an experiment by tenant gives a tenant one variant on both routes', async () => {
    const payload = { type: 'json', value: '{"packing.mode":"sentence"}' }
    const variants = [
      { name: 'control', weight: 500, stickiness: 'userId' },
      { name: 'sentences', weight: 500, stickiness: 'userId', payload },
    ]
    await setFlags({ name: 'stowage.experiment.mode', enabled: true, strategies: [always], variants })
    for (const tenant of ['acme', 'beta']) {
      const { assignment, plan } = await askAs(tenant, { session_id: 'any' })
      expect(assignment).toEqual({ experiment: 'mode', variant: expect.any(String), unit: 'tenant', share: 0.5 })
      expect(plan.packing.mode).toBe(assignment?.variant === 'control' ? 'passage' : 'sentence')
      expect(
        stowage.flags.decide({ tenant: { name: tenant, reaches: () => true, condition: null }, sessionId: null })
          .assignment,
      ).toEqual(assignment)
    }
  })
})

it('keeps the last known flags while the server is away, and tells it in /readyz and metrics', async () => {
  await setFlags({ name: 'stowage.dedupe', enabled: false }, { name: 'stowage.dedup', enabled: true })
  unleash.fail(() => ({ status: 503, body: '' }))
  await unleash.asked()
  await unleash.asked()
  expect((await askAs('acme')).plan.dedupe.containment).toBeNull()
  const json = await readiness(stowage)
  expect(json).toMatchObject({ ready: true })
  expect(json.checks).toContainEqual({
    name: 'unleash',
    ok: false,
    detail: 'Unleash answers 503; the last known flags are used',
  })
  expect(stowage.flags.faults()).toEqual(['unknown flag stowage.dedup; did you mean stowage.dedupe?'])
})

it('says that there are no flags when Unleash is away from the start', async () => {
  unleash.fail(() => ({ status: 503, body: '' }))
  const other = await openStowage({ QDRANT_URL: engine.url, UNLEASH_URL: unleash.url })
  try {
    const detail = 'Unleash answers 503; no flags are known, and the plan is used'
    expect((await readiness(other)).checks).toContainEqual({ name: 'unleash', ok: false, detail })
  } finally {
    await other.close()
  }
})

it('a flags file is used until Unleash has answered', async () => {
  const file = await openTenantsFile({ features: [{ name: 'stowage.dedupe', enabled: false }] })
  unleash.fail(() => ({ status: 503, body: '' }))
  const other = await openStowage({
    QDRANT_URL: engine.url,
    FLAGS_FILE: file.path,
    UNLEASH_URL: unleash.url,
    UNLEASH_REFRESH_MS: '100',
  })
  try {
    const ask = async () => (await other.ask({ query: 'sluice', collection: 'harbour', trace: true })).json.trace?.flags
    expect(await ask()).toEqual([{ flag: 'stowage.dedupe', enabled: false, source: 'file', variant: null }])
    const away = { name: 'unleash', ok: false, detail: 'Unleash answers 503; the file of flags is used' }
    expect((await readiness(other)).checks).toContainEqual(away)
    await file.replace({ features: [{ name: 'stowage.dedupe', enabled: true }] })
    await other.reloadFlags()
    expect(await ask()).toEqual([{ flag: 'stowage.dedupe', enabled: true, source: 'file', variant: null }])
    await file.replace('{')
    await other.reloadFlags()
    const json = await readiness(other)
    expect(json.checks).toContainEqual({
      name: 'flags',
      ok: false,
      detail: expect.stringContaining('the content of before is used'),
    })
    expect(other.flags.faults()).toEqual([
      expect.stringMatching(/^FLAGS_FILE=.*: is not JSON: .*; the content of before is used$/u),
    ])
    const { text } = await other.send('GET', '/v1/metrics')
    expect(text).toContain('\nstowage_flags_file_refused 1\n')
    expect(text).toContain('\nstowage_flags_unknown 0\n')
    unleash.set([{ name: 'stowage.mmr', enabled: true, strategies: [always] }])
    for (let asked = 0; asked < 4; asked++) await unleash.asked()
    expect(await ask()).toEqual([{ flag: 'stowage.mmr', enabled: true, source: 'unleash', variant: null }])
  } finally {
    await other.close()
    await file.remove()
  }
})

it('refuses a flags file and a folder of plans with faults at the start', async () => {
  const file = await openTenantsFile({ features: [{ name: 'stowage.dedupe' }] })
  await expect(openStowage({ FLAGS_FILE: file.path })).rejects.toThrow(
    `FLAGS_FILE=${file.path}: stowage.dedupe.enabled: Invalid input: expected boolean, received undefined`,
  )
  await file.remove()
  await expect(openStowage({ PLANS_FOLDER: '/nowhere' })).rejects.toThrow(
    'PLANS_FOLDER=/nowhere: cannot be read: ENOENT',
  )
})

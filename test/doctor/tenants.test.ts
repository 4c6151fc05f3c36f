import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import { addDoctorCommand } from '../../src/commands/doctor.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import type { Tenant } from '../../src/tenants/tenant.ts'
import { openDoctor } from '../../src/wiring/commands.ts'
import { createFakeEmbedder, dependencies } from '../support/ingest-world.ts'
import { startRecordingServer } from '../support/recording-server.ts'
import { runCommand } from '../support/run-command.ts'
import { sendOk } from '../support/send.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { declared, directoryOf } from '../tenants/support/read-file.ts'

/** The findings about tenants, by their check. */
async function examine(url: string, tenants: readonly Tenant[] | null): Promise<Record<string, Finding>> {
  const setup = {
    url,
    embedded: true,
    embedder: null,
    unavailable: { embedder: null, reranker: null },
    modelWarnings: [],
    mappings: {},
    tenants,
    unknownVariables: [],
    unwritable: [],
    flagFaults: [],
  }
  const { out } = await runCommand(
    (program, streams) =>
      addDoctorCommand(program, {
        out: streams.out,
        open: async () => ({ setup, probe: createQdrantAdmin({ url, apiKey: null }), close: async () => {} }),
      }),
    'doctor',
    '--json',
  )
  const { findings } = JSON.parse(out) as { findings: Finding[] }
  for (const { status, fix } of findings) expect(fix === null).toBe(status === 'ok')
  return Object.fromEntries(findings.filter(({ check }) => check.startsWith('tenant')).map(one => [one.check, one]))
}

const own = (collections: string[], more: object = {}) => ({ collections, ...more })
const declaredTenants = (tenants: Record<string, object>) =>
  directoryOf(Object.assign({}, ...Object.entries(tenants).map(([name, over]) => declared(name, over)))).tenants
const points = (...payloads: object[]) => ({ points: payloads.map((payload, id) => ({ id, vector: [1, 2], payload })) })

describe('doctor with tenants', () => {
  let engine: EmbeddedServer
  const create = async (collection: string, index: object | null, ...payloads: object[]) => {
    await sendOk(engine.url, 'PUT', `/collections/${collection}`, { vectors: { size: 2, distance: 'Dot' } })
    if (index) await sendOk(engine.url, 'PUT', `/collections/${collection}/index`, index)
    if (payloads.length > 0)
      await sendOk(engine.url, 'PUT', `/collections/${collection}/points?wait=true`, points(...payloads))
  }
  const keyword = (field: string, more: object = {}) => ({
    field_name: field,
    field_schema: { type: 'keyword', ...more },
  })

  beforeAll(async () => {
    engine = await startEmbeddedServer()
    await create('shared', keyword('tenant', { is_tenant: true }), { tenant: 'acme' }, { tenant: 'zeta' })
    await create('loose', null, { tenant: 'acme' }, {}, { tenant: null }, { tenant: [] })
    await create('plain', keyword('tenant'), { tenant: 'acme' })
    await create('text', { field_name: 'tenant', field_schema: 'text' }, { tenant: 'acme' })
    await create('nested', keyword('meta.org', { is_tenant: true }), { meta: { org: 'acme' } }, { meta: {} })
    await create('alone', null, { any: 1 })
    const actions = [{ create_alias: { collection_name: 'shared', alias_name: 'current' } }]
    await sendOk(engine.url, 'POST', '/collections/aliases', { actions })
    const documents = [{ docId: 'd', title: 'D', text: 'Some text that is long enough.' }]
    await ingest(documents, dependencies(engine.url, createFakeEmbedder()), { collection: 'made', tenant: 'acme' })
  })
  afterAll(() => engine.close())

  it('says nothing of tenants without them', async () => {
    expect(await examine(engine.url, null)).toEqual({})
  })

  it('finds a set-up without a fault to be well, also of what ingest made', async () => {
    const tenants = declaredTenants({
      acme: own(['shared', 'made']),
      zeta: own(['current']),
      all: own(['*'], { read_only: true, field: null, filter: { must: [{ key: 'x', range: { gt: 1 } }] } }),
    })
    const found = await examine(engine.url, tenants)
    expect(Object.keys(found)).toEqual(['tenants', 'tenant reach', 'tenant index', 'tenant points'])
    expect(Object.values(found).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
    expect(found['tenant index']?.detail).toBe('tenant in made, tenant in shared')
  })

  it('names tenants that match no collection and no alias, but not those that may create one', async () => {
    const tenants = declaredTenants({
      lost: own(['nowhere', 'team-*']),
      found: own(['current']),
      begins: own(['later'], { allow: ['create_collection'] }),
    })
    const { tenants: finding } = await examine(engine.url, tenants)
    expect(finding).toMatchObject({
      status: 'fail',
      detail: expect.stringMatching(/^the collections of lost match no/),
    })
  })

  it('names collections that no tenant reaches, by their name or an alias', async () => {
    const found = await examine(
      engine.url,
      declaredTenants({ acme: own(['current', 'loose', 'nested', 'text', 'made']) }),
    )
    expect(found['tenant reach']).toMatchObject({ status: 'warn', detail: 'no tenant reaches alone, plain' })
  })

  it('wants an index on the field with is_tenant, and says how to make it', async () => {
    const missing = await examine(engine.url, declaredTenants({ acme: own(['loose', 'text', 'plain', 'shared']) }))
    expect(missing['tenant index']).toMatchObject({
      status: 'warn',
      detail:
        'no keyword index on tenant in loose, tenant in text: every request scans the collection; ' +
        'an index without is_tenant on tenant in plain: the points of a tenant are not stored together',
      fix: 'For each of them: PUT /collections/loose/index {"field_name":"tenant","field_schema":{"type":"keyword","is_tenant":true}}',
    })
    const scattered = await examine(engine.url, declaredTenants({ acme: own(['plain']) }))
    expect(scattered['tenant index']?.fix).toContain('DELETE /collections/plain/index/tenant, then PUT ')
  })

  it('counts points without the field, which is missing, null or empty', async () => {
    const found = await examine(engine.url, declaredTenants({ acme: own(['loose', 'shared']) }))
    expect(found['tenant points']).toMatchObject({
      status: 'warn',
      detail: '3 of 4 points of loose have no tenant: no tenant finds them',
      fix: expect.stringContaining('{"must":[{"is_empty":{"key":"tenant"}}]}'),
    })
    const nested = await examine(engine.url, declaredTenants({ acme: own(['nested'], { field: 'meta.org' }) }))
    expect(nested['tenant points']?.detail).toBe('1 of 2 points of nested have no meta.org: no tenant finds them')
  })

  it('asks nothing of collections that belong to one tenant alone', async () => {
    const found = await examine(engine.url, declaredTenants({ acme: own(['alone'], { whole_collections: true }) }))
    expect([found['tenant index']?.status, found['tenant points']?.status]).toEqual(['ok', 'ok'])
  })

  it('looks at the field of a tenant that only reads', async () => {
    const found = await examine(engine.url, declaredTenants({ reader: own(['loose'], { read_only: true }) }))
    expect([found['tenant index']?.status, found['tenant points']?.status]).toEqual(['warn', 'warn'])
  })

  it('reads the file of tenants, and makes a finding of its faults', async () => {
    const folder = temporaryFolder('doctor')
    const path = join(folder, 'tenants.json')
    vi.stubEnv('TENANTS_FILE', path)
    for (const name of ['EMBEDDER', 'RERANKER']) vi.stubEnv(name, name === 'EMBEDDER' ? 'none' : 'off')
    const run = () =>
      runCommand(
        (program, { out }) => addDoctorCommand(program, { open: openDoctor, out }),
        'doctor',
        '--url',
        engine.url,
      )
    try {
      writeFileSync(path, JSON.stringify({ tenants: declared('acme', { collections: ['loose'] }) }))
      expect((await run()).out).toMatch(/^! tenant points +3 of 4 points of loose have no tenant/m)
      writeFileSync(path, JSON.stringify({ tenants: declared('acme', { colections: ['loose'] }) }))
      expect((await run()).out).toMatch(/^✗ configuration .*TENANTS_FILE=.*: tenants\.acme: unknown key colections/su)
    } finally {
      vi.unstubAllEnvs()
    }
  })

  it('fails when the key may not list the collections', async () => {
    const server = await startRecordingServer(({ path }) =>
      path === '/' || path === '/collections'
        ? { body: '{"title":"qdrant","version":"1.18.0","result":{"collections":[]}}' }
        : { status: 403, body: 'Forbidden' },
    )
    const found = await examine(server.url, declaredTenants({ acme: own(['docs']) }))
    await server.close()
    expect(found).toEqual({ tenants: expect.objectContaining({ status: 'fail', detail: 'Qdrant: Forbidden' }) })
  })
})

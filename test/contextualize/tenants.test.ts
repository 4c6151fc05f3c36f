import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLiveCollection } from '../../src/adapters/contextualize/live-collection.ts'
import { openTenantRules } from '../../src/contextualize/tenants.ts'
import type { JsonObject } from '../../src/core/types.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { createQdrantHttp, type QdrantHttp } from '../../src/qdrant/client.ts'
import type { Tenant } from '../../src/tenants/tenant.ts'
import { send } from '../support/send.ts'
import { tenantOfName } from '../support/tenants.ts'
import { createCollection, fakeWriter, pointsOf, runOnce, seedPoints, temporaryFolder } from './support/live-world.ts'

let engine: EmbeddedServer
let http: QdrantHttp
beforeAll(async () => {
  engine = await startEmbeddedServer()
  http = createQdrantHttp(engine.url)
})
afterAll(async () => {
  await http.close()
  await engine.close()
})

/** Two tenants with a document of the same id. */
async function filled(collection: string) {
  const ours = await seedPoints({ guide: 3 }, { tenant: 'open' })
  const theirs = (await seedPoints({ guide: 3 }, { tenant: 'closed' })).map(point => ({
    ...point,
    id: Number(point.id) + 10,
    payload: { ...point.payload, text: `secret ${point.payload.text}` },
  }))
  await createCollection(engine.url, collection, [...ours, ...theirs])
}

async function runFor(collection: string, tenants: Tenant[] | null, allowing = ['open']) {
  const place = temporaryFolder()
  const live = openLiveCollection({ http, apiKey: null, collection })
  const rules = await openTenantRules(live, tenants, ({ name }) => allowing.includes(name))
  const writer = fakeWriter()
  const stay = fakeWriter({ model: 'rules', version: 'rules-1', endpoint: null })
  // The encodings of changed texts do not matter here.
  const result = await runOnce(engine.url, collection, place.folder, { writer, rules: stay, encoding: null, ...rules })
  place.remove()
  const sent = writer.asked.map(({ document, chunk }) => `${document.text} ${chunk.text}`).join('\n')
  return { result, sent, stayed: stay.asked, points: await pointsOf(engine.url, collection) }
}

describe('texts of tenants', () => {
  it('go only where every tenant allows it that can read them, also within one document id', async () => {
    await filled('rows')
    const { result, sent, stayed } = await runFor('rows', [tenantOfName('open'), tenantOfName('closed')])
    expect(result).toMatchObject({ stored: 6, left: 0 })
    expect(sent).not.toContain('secret')
    expect(sent).toContain('guide part 2')
    expect(stayed).toHaveLength(3)
    // The context of a tenant is written from its own points.
    expect(stayed.every(({ document }) => !document.text.replaceAll('secret guide', '').includes('guide part'))).toBe(
      true,
    )
  })

  it('stay when a tenant with the whole collection does not allow the endpoint', async () => {
    await filled('whole')
    const { sent } = await runFor('whole', [
      tenantOfName('open'),
      tenantOfName('closed', { condition: null, stamp: null }),
    ])
    expect(sent).toBe('')
  })

  it('stay when a filter of a tenant matches them, and are no part of documents that are sent', async () => {
    await filled('filtered')
    await send(engine.url, 'POST', '/collections/filtered/points/payload?wait=true', {
      payload: { shared: true },
      points: [2],
    })
    const condition: JsonObject = { must: [{ key: 'shared', match: { value: true } }] }
    const { sent, result } = await runFor('filtered', [
      tenantOfName('open'),
      tenantOfName('closed'),
      tenantOfName('reader', { condition, stamp: null, readOnly: true }),
    ])
    expect(result.left).toBe(0)
    expect(sent).toContain('guide part 0')
    expect(sent).not.toContain('guide part 1')
  })

  it('count by the aliases of the collection too', async () => {
    await filled('behind')
    await send(engine.url, 'POST', '/collections/aliases', {
      actions: [{ create_alias: { alias_name: 'front', collection_name: 'behind' } }],
    })
    const { sent } = await runFor('behind', [tenantOfName('closed', { reaches: name => name === 'front' })])
    expect(sent).not.toContain('secret')
  })

  it('are parted by tenant in open mode too', async () => {
    await filled('open')
    const { sent } = await runFor('open', null)
    for (const line of sent.split('\n').filter(text => text.includes('secret')))
      expect(line).not.toMatch(/(?<!secret )guide part/u)
  })

  it('are parted by the field that Qdrant reads, whatever else a tenant writes under its name', async () => {
    const marked = (tenant: string) => ({ metadata: { tenant } })
    const ours = await seedPoints({ guide: 2 }, { ...marked('acme'), 'metadata.tenant': 'beta' })
    const theirs = (await seedPoints({ guide: 2 }, marked('beta'))).map(({ id, payload, ...point }) => ({
      ...{ ...point, id: Number(id) + 10, payload: { ...payload, text: `secret ${payload.text}` } },
    }))
    await createCollection(engine.url, 'nested', [...ours, ...theirs])
    const tenants = ['acme', 'beta'].map(value =>
      tenantOfName(value, {
        condition: { must: [{ key: 'metadata.tenant', match: { value } }] },
        stamp: { field: 'metadata.tenant', value },
      }),
    )
    const { points } = await runFor('nested', tenants, ['acme', 'beta'])
    expect(points).toHaveLength(4)
    for (const { payload } of points)
      expect(String(payload.context).includes('begins with secret')).toBe(String(payload.text).includes('secret'))
  })

  it('stay with their readers when the id of a point goes to another tenant while its context is written', async () => {
    await filled('handed')
    const live = openLiveCollection({ http, apiKey: null, collection: 'handed' })
    const [, taken] = await pointsOf(engine.url, 'handed')
    const writer = fakeWriter()
    const write = writer.write
    writer.write = async (request, signal) => {
      const points = [{ ...taken, payload: { ...taken?.payload, tenant: 'closed', doc_id: 'other' } }]
      await send(engine.url, 'PUT', '/collections/handed/points?wait=true', { points })
      return write(request, signal)
    }
    const place = temporaryFolder()
    const rules = await openTenantRules(live, [tenantOfName('open'), tenantOfName('closed')], () => true)
    await runOnce(engine.url, 'handed', place.folder, { writer, rules: writer, encoding: null, ...rules })
    place.remove()
    const after = (await pointsOf(engine.url, 'handed')).find(({ id }) => id === taken?.id)
    expect(after?.payload).toMatchObject({ tenant: 'closed', text: taken?.payload.text })
    expect(after?.payload.context).toMatch(/^Of other, which begins with guide part 1/u)
  })

  it('are parted by tenant also when its name has a dot, or it stands in a list', async () => {
    const marks = [
      { collection: 'dotted', field_name: '"tenant.id"', mark: (name: string) => ({ 'tenant.id': name }) },
      { collection: 'listed', field_name: 'groups[].id', mark: (name: string) => ({ groups: [{ id: name }] }) },
    ]
    for (const { collection, field_name, mark } of marks) {
      const [ours, theirs] = [await seedPoints({ guide: 2 }, mark('a')), await seedPoints({ guide: 2 }, mark('b'))]
      const renamed = theirs.map(({ id, payload, ...point }) => ({
        ...{ ...point, id: Number(id) + 10, payload: { ...payload, text: `secret ${payload.text}` } },
      }))
      await createCollection(engine.url, collection, [...ours, ...renamed])
      const field_schema = { type: 'keyword', is_tenant: true }
      await send(engine.url, 'PUT', `/collections/${collection}/index?wait=true`, { field_name, field_schema })
      const { points } = await runFor(collection, null)
      const contexts = points.map(({ payload }) => [payload.text, payload.context].map(String))
      expect(contexts).toHaveLength(4)
      for (const [text = '', context = ''] of contexts)
        expect(context.includes('begins with secret')).toBe(text.includes('secret'))
    }
  })
})

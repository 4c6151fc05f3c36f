import { afterEach, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config.ts'
import { openIngestContexts } from '../../../src/wiring/contexts/ingest-contexts.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'

const ENDPOINT = 'https://models.example/v1'
const model = { CONTEXT_MODEL: 'm', CONTEXT_API_KEY: 'k', CONTEXT_BASE_URL: ENDPOINT }
let opened: Awaited<ReturnType<typeof openTenantsFile>> | null = null
afterEach(async () => {
  await opened?.remove()
  opened = null
})

/** Opens the writer for points of a tenant, where these tenants are declared. */
async function writerFor(
  tenant: string | null,
  declared: Readonly<Record<string, object>>,
  kind: 'openai' | 'rules' = 'openai',
) {
  opened = await openTenantsFile(declareTenants(declared))
  const config = loadConfig({ ...model, TENANTS_FILE: opened.path })
  return openIngestContexts(config, kind, { collection: 'docs', tenant }, text => text.length)
}
const allows = { context_endpoints: [ENDPOINT] }

describe('the writer of contexts for an ingestion', () => {
  it('is none for off, and needs no tenant for rules', async () => {
    expect(
      await openIngestContexts(loadConfig({}), 'off', { collection: 'docs', tenant: null }, text => text.length),
    ).toBeNull()
    expect(await writerFor('acme', { acme: {} }, 'rules')).toMatchObject({ model: 'rules' })
  })

  it('sends texts of a tenant only where it allows that', async () => {
    expect(await writerFor('acme', { acme: allows, zeta: {} })).toMatchObject({ endpoint: ENDPOINT })
    await opened?.remove()
    await expect(writerFor('zeta', { acme: allows, zeta: {} })).rejects.toThrow(
      /the tenants zeta can read these chunks/,
    )
  })

  it('asks every tenant that can read the points, also those with a condition of their own', async () => {
    await expect(writerFor('acme', { acme: { ...allows, field: 'owner' }, own: { field: 'owner' } })).rejects.toThrow(
      /tenants own /,
    )
    await opened?.remove()
    const elsewhere = { collections: ['other'], whole_collections: true }
    expect(await writerFor('acme', { acme: { ...allows, collections: ['docs'] }, elsewhere })).toMatchObject({
      endpoint: ENDPOINT,
    })
  })
})

import { afterAll, beforeAll, expect, it } from 'vitest'
import { ConfigError, openStowage, type Stowage } from '../../../src/index.ts'
import { keyHash } from '../../../src/tenants/keys.ts'
import { startRecordingServer } from '../../support/recording-server.ts'
import { openTenantsFile } from '../../support/tenants-file.ts'

const QUIET = { EMBEDDER: 'none', RERANKER: 'off', LOG_LEVEL: 'silent' }
const ASKED = { query: 'keels', collection: 'docs', vector: [1, 0] }

let file: Awaited<ReturnType<typeof openTenantsFile>>
let qdrant: Awaited<ReturnType<typeof startRecordingServer>>
let stowage: Stowage
beforeAll(async () => {
  const keys = [{ sha256: keyHash('key') }]
  file = await openTenantsFile({ tenants: { acme: { keys, collections: ['docs'], upstream_key_env: 'ACME' } } })
  qdrant = await startRecordingServer(() => ({ status: 401, body: 'Invalid API key' }))
  stowage = await openStowage({ ...QUIET, QDRANT_URL: qdrant.url, TENANTS_FILE: file.path, ACME: 'upstream' })
})
afterAll(async () => {
  await stowage.close()
  await qdrant.close()
  await file.remove()
})

it('a program needs the key of a tenant too, and reaches what the tenant reaches', async () => {
  for (const apiKey of [undefined, 'guess', 'upstream'])
    await expect(stowage.packContext(ASKED, apiKey === undefined ? {} : { apiKey })).rejects.toMatchObject({
      code: 'unauthorized',
    })
  await expect(stowage.packContext({ ...ASKED, collection: 'other' }, { apiKey: 'key' })).rejects.toMatchObject({
    code: 'forbidden',
  })
  expect(qdrant.requests).toEqual([])
})

it('the key of the tenant goes to Qdrant, and that Qdrant refuses it is not the fault of the client', async () => {
  await expect(stowage.packContext(ASKED, { apiKey: 'key' })).rejects.toMatchObject({
    code: 'upstream_error',
    message: 'Qdrant refused the key of stowage',
  })
  expect(new Set(qdrant.requests.map(({ headers }) => headers['api-key']))).toEqual(new Set(['upstream']))
})

it('a variable that is not set stops the start', async () => {
  const opened = openStowage({ ...QUIET, QDRANT_URL: qdrant.url, TENANTS_FILE: file.path })
  await expect(opened).rejects.toThrow(/tenants\.acme\.upstream_key_env: the variable ACME is not set/)
  await expect(opened).rejects.toBeInstanceOf(ConfigError)
})

it('says that it is closed to whoever uses it afterwards', async () => {
  const closed = await openStowage({ EMBEDDER: 'none', RERANKER: 'off', LOG_LEVEL: 'silent' })
  await closed.close()
  await expect(closed.packContext(ASKED)).rejects.toThrow(/packContext .* closed/u)
  await expect(closed.listen({ port: 0, host: '127.0.0.1' })).rejects.toThrow(/listen .* closed/u)
})

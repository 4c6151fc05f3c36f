import { expect, it, vi } from 'vitest'
import { keyHash } from '../../../src/tenants/keys.ts'
import { send } from '../../support/send.ts'
import { run, startListening } from '../../support/stowage-process.ts'
import { openTenantsFile } from '../../support/tenants-file.ts'
import { CHILD_PROCESS_MS } from '../../support/timeouts.ts'

const fileOf = (key: string) => ({ tenants: { acme: { keys: [{ sha256: keyHash(key) }], collections: ['docs'] } } })

it('a faulty file stops the start with every fault, as wrong configuration', {
  timeout: CHILD_PROCESS_MS,
}, async () => {
  const file = await openTenantsFile({ tenants: { a: 5, b: { keys: [{ sha256: 'hunter2' }] } } })
  const [faulty, missing] = await Promise.all(
    [file.path, `${file.path}.not-there`].map(path => run(['serve', '--port', '0'], { TENANTS_FILE: path })),
  )
  await file.remove()
  expect([faulty?.code, faulty?.out, missing?.code]).toEqual([2, '', 2])
  expect(faulty?.err.split('\n').slice(0, -1)).toEqual([
    'stowage: Bad configuration:',
    `  TENANTS_FILE=${file.path}: tenants.a=5: must be a mapping`,
    `  TENANTS_FILE=${file.path}: tenants.b.keys[0].sha256=(not shown): must be the 64 hexadecimal digits of a SHA-256`,
    `  TENANTS_FILE=${file.path}: tenants.b.collections: is missing`,
  ])
  expect(missing?.err).toContain('cannot be read: ENOENT')
})

it('SIGHUP reads the file again, a change is found without it, and the end is not held up', {
  timeout: CHILD_PROCESS_MS,
}, async () => {
  const file = await openTenantsFile(fileOf('first'))
  const service = await startListening(['serve', '--port', '0'], { TENANTS_FILE: file.path })
  const statusOf = async (key: string) =>
    (await send(service.url, 'POST', '/v1/context', { query: 'q', collection: 'other' }, { 'api-key': key })).status
  const until = (key: string) =>
    vi.waitFor(async () => expect(await statusOf(key)).toBe(403), { timeout: 40_000, interval: 50 })
  expect([await statusOf('first'), await statusOf('second')]).toEqual([403, 401])
  await file.replace(fileOf('second'))
  service.signal('SIGHUP')
  await until('second')
  expect(await statusOf('first')).toBe(401)
  await file.replace(fileOf('third'))
  await until('third')
  const { code } = await service.stop('SIGTERM')
  await file.remove()
  expect(code).toBe(0)
})

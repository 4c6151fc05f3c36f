import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { openGateway } from '../../src/wiring/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

it.each([
  ['TENANTS_FILE', 'tenants: { acme: { keys: [] } }'],
  ['FLAGS_FILE', '{ "version": 2, "features": 5 }'],
])('a start that a wrong %s ends leaves nothing open', async (name, text) => {
  const folder = temporaryFolder('stowage-gateway')
  const file = join(folder, 'wrong')
  await writeFile(file, text)
  const settings = { EMBEDDED_PATH: join(folder, 'engine'), EMBEDDER: 'none', RERANKER: 'off', LOG_LEVEL: 'silent' }
  const open = (more: Record<string, string>) =>
    openGateway(loadConfig({ ...settings, ...more }), createLogger({ level: 'silent' }))
  await expect(open({ [name]: file })).rejects.toThrow(name)
  // The engine locks its folder.
  await (await open({})).close()
})

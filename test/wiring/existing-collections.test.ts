import { afterEach, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { openContextualize } from '../../src/wiring/contexts/contextualize.ts'
import { openAskedCollection, openLiveCollection } from '../../src/wiring/evaluation/live-collection.ts'
import { openProjectCommand } from '../../src/wiring/projects/project-command.ts'
import { openWarm } from '../../src/wiring/rerank/warm.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

const COLLECTION = { collection: 'docs' }
const OPENERS: [command: string, open: () => Promise<unknown>][] = [
  ['contextualize', () => openContextualize({ ...COLLECTION, context: 'rules', onlyPayload: false })],
  ['replay --collection', () => openAskedCollection(loadConfig(), COLLECTION)],
  ['golden check --collection', () => openLiveCollection(COLLECTION)],
  ['warm', () => openWarm({})],
  ['project delete --with-collection', async () => (await openProjectCommand()).deleteCollection('docs', {})],
]

it.each(OPENERS)(
  'stowage %s says how to name the place of collections when nothing names it',
  async (_command, open) => {
    for (const name of ['QDRANT_URL', 'EMBEDDED_PATH']) vi.stubEnv(name, '')
    vi.stubEnv('RERANK_DISK_PATH', temporaryFolder('passages'))
    await expect(open()).rejects.toMatchObject({
      code: 'bad_request',
      message: 'no place with collections: give --url, or set QDRANT_URL or EMBEDDED_PATH',
    })
  },
)

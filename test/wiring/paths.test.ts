import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { environmentOf } from '../../src/wiring/contexts/contextualize.ts'
import { openProjects } from '../../src/wiring/projects/open-projects.ts'
import { openUpstream } from '../../src/wiring/upstream.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const file = join(temporaryFolder('stowage-paths'), 'file')
writeFileSync(file, 'text')
const below = join(file, 'below')
const signal = new AbortController().signal

async function contextualize(state: Readonly<Record<string, string>>, given: { state?: string }) {
  const http = createQdrantHttp('http://127.0.0.1:1')
  const target = { collection: 'docs', context: 'rules', onlyPayload: true, ...given } as const
  const config = loadConfig({ EMBEDDER: 'none', ...state })
  return (await environmentOf(config, target, { http, apiKey: null })).run(() => {}, signal)
}

describe('a path that cannot be used', () => {
  it.each<[string, string, () => Promise<unknown>]>([
    ['EMBEDDED_PATH', below, () => openUpstream(loadConfig({ EMBEDDED_PATH: below }))],
    [
      'PROJECTS_FOLDER',
      below,
      () => openProjects(loadConfig({ PROJECTS_FOLDER: below })).create({ name: 'p', collection: 'docs' } as never),
    ],
    ['CONTEXT_STATE_FOLDER', join(below, 'docs'), () => contextualize({ CONTEXT_STATE_FOLDER: below }, {})],
    ['--state', below, () => contextualize({}, { state: below })],
  ])('is named with %s', async (name, path, open) => {
    await expect(open()).rejects.toMatchObject({
      name: 'ConfigError',
      faults: [expect.stringMatching(`^${name}=${path}: cannot be used: ENOTDIR`)],
    })
  })
})

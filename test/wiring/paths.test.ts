import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/config.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { openDoctor } from '../../src/wiring/commands.ts'
import { environmentOf } from '../../src/wiring/contexts/contextualize.ts'
import { openProjects } from '../../src/wiring/projects/open-projects.ts'
import { writeFault } from '../../src/wiring/serve/written-files.ts'
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

  it('is named with PROJECTS_FOLDER by whoever lists the projects', async () => {
    const projects = openProjects(loadConfig({ PROJECTS_FOLDER: file }))
    await expect(projects.list()).rejects.toMatchObject({
      faults: [expect.stringMatching(`^PROJECTS_FOLDER=${file}: cannot be used: ENOTDIR`)],
    })
  })
})

describe('doctor', () => {
  afterEach(() => vi.unstubAllEnvs())
  const examine = async (name: string, path: string) => {
    for (const [variable, value] of [
      ['EMBEDDER', 'none'],
      ['RERANKER', 'off'],
      [name, path],
    ] as const)
      vi.stubEnv(variable, value)
    const { setup, close } = await openDoctor({})
    await close()
    return setup.unwritable
  }

  it.each(['FLAGS_FILE', 'PLANS_FOLDER', 'PROJECTS_FOLDER', 'ROLLOUT_STATE_FILE', 'TENANTS_FILE', 'EMBEDDED_PATH'])(
    'finds a path of %s with which serve does not start',
    async name => {
      await expect(examine(name, below)).rejects.toMatchObject({
        name: 'ConfigError',
        faults: [expect.stringMatching(`^${name}=${below}: .*ENOTDIR`)],
      })
    },
  )

  it('finds a folder that is missing for ROLLOUT_STATE_FILE', async () => {
    const path = join(temporaryFolder('stowage-paths'), 'missing', 'rollbacks.json')
    await expect(examine('ROLLOUT_STATE_FILE', path)).rejects.toThrow(`ROLLOUT_STATE_FILE=${path}: ENOENT`)
  })

  it.each(['TRACE_FILE', 'CONTEXT_STATE_FOLDER'])('warns of a path of %s that cannot be written', async name => {
    expect(await examine(name, below)).toEqual([
      expect.stringMatching(`^${name}=${below}: cannot be written, so .*: ENOTDIR`),
    ])
  })
})

describe('a file or folder that is not there yet', () => {
  const folder = temporaryFolder('stowage-paths')

  it('can be written when it can be made, and is not made by the question', async () => {
    for (const kind of ['file', 'folder'] as const) {
      expect(await writeFault(join(folder, 'a', 'b'), kind)).toBe(null)
      expect(existsSync(join(folder, 'a'))).toBe(false)
    }
  })

  it('is of the right kind', async () => {
    expect(await writeFault(folder, 'folder')).toBe(null)
    expect(await writeFault(file, 'file')).toBe(null)
    expect(await writeFault(folder, 'file')).toBe(`${folder} is not a file`)
    expect(await writeFault(file, 'folder')).toBe(`${file} is not a folder`)
  })
})

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { openProjectFolder, type ProjectFolder } from '../../../src/adapters/projects/project-folder.ts'
import { projectVariables, withFieldNames } from '../../../src/projects/encoder-variables.ts'
import { type Project, readProject } from '../../../src/projects/project.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PROJECT: Project = {
  version: 1,
  name: 'handbook',
  created_at: '2026-11-23T00:00:00.000Z',
  collection: 'docs',
  chunking: { tokens: 300, overlap: 0.1 },
  encoder: { kind: 'openai', model: 'e5', base_url: 'http://127.0.0.1:8080/v1', query_prefix: 'query: ' },
  context: { writer: 'rules' },
  plan: { 'rerank.blend': 0.5, PACKING_MODE: 'sentence' },
  mapping: { text: 'metadata.body' },
}

let folder: string
let projects: ProjectFolder
beforeEach(async () => {
  folder = join(temporaryFolder('stowage-projects'), 'projects')
  projects = openProjectFolder(folder)
})

describe('a folder of projects', () => {
  it('holds what was created until it is removed, and nothing else', async () => {
    expect(await projects.list()).toEqual({ projects: [], faults: [] })
    await projects.create(PROJECT)
    await projects.create({ ...PROJECT, name: 'a' })
    expect(await projects.find('handbook')).toEqual(PROJECT)
    expect((await projects.list()).projects.map(({ name }) => name)).toEqual(['a', 'handbook'])
    expect((await readdir(folder)).sort()).toEqual(['a.json', 'handbook.json'])
    expect([await projects.remove('handbook'), await projects.remove('handbook')]).toEqual([true, false])
    expect(await projects.find('handbook')).toBeNull()
  })

  it('is created once, whoever else creates it at the same time', async () => {
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, (_, at) => projects.create({ ...PROJECT, collection: `c${at}` })),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const collection = (await projects.find('handbook'))?.collection
    expect(made[Number(collection?.slice(1))]?.status).toBe('fulfilled')
    expect(await readdir(folder)).toEqual(['handbook.json'])
  })

  it('finds no file outside of it, whatever the name is', async () => {
    await projects.create(PROJECT)
    await writeFile(join(folder, '..', 'outside.json'), JSON.stringify({ ...PROJECT, name: '../outside' }))
    const names = fc.oneof(
      fc.constantFrom('../outside', '..', '.', '', 'handbook/', './handbook', 'handbook\0', 'handbook.json'),
      fc.string(),
    )
    await fc.assert(
      fc.asyncProperty(names, async name => {
        expect((await projects.find(name)) === null).toBe(name !== 'handbook')
      }),
    )
    expect(await projects.remove('../outside')).toBe(false)
    expect(await readFile(join(folder, '..', 'outside.json'), 'utf8')).toContain('outside')
  })

  it('names what is wrong with a file, and lists the others', async () => {
    await projects.create(PROJECT)
    const write = (name: string, content: unknown) =>
      writeFile(join(folder, `${name}.json`), typeof content === 'string' ? content : JSON.stringify(content))
    await write('broken', '{"version": 1,')
    await write('newer', { ...PROJECT, name: 'newer', version: 2 })
    await write('copied', PROJECT)
    await write('wrong', { ...PROJECT, name: 'wrong', colection: 'x', plan: { 'rerank.blend': 7 } })
    await expect(projects.find('wrong')).rejects.toMatchObject({ code: 'unprocessable' })
    const { projects: good, faults } = await projects.list()
    expect(good).toEqual([PROJECT])
    expect(faults).toHaveLength(4)
    expect(faults.join('\n')).toMatch(
      /broken .*\n.*copied .*holds the project handbook\n.*newer\.version=2.*\n.*colection/su,
    )
  })
})

describe('a project', () => {
  it.each([
    [{ encoder: { kind: 'openai', api_key: 'sk-1' } }, /unknown key api_key/],
    [{ encoder: { kind: 'openai', base_url: 'http://u:p@host/v1' } }, /keys belong into variables/],
    [{ encoder: { kind: 'openai', base_url: 'http://host/v1?key=sk-1' } }, /keys belong into variables/],
    [{ plan: { 'packing.mod': 'sentence' } }, /packing\.mod/],
    [{ plan: { 'rerank.blend': 7 } }, /rerank\.blend=7/],
    [{ name: '../x' }, /64 letters/],
  ])('refuses %j', (wrong, fault) => {
    expect(readProject({ ...PROJECT, ...wrong }, 'p').faults.join('\n')).toMatch(fault)
  })

  it('gives the variables of its encoder, and unsets those of another one', () => {
    expect(projectVariables({ encoder: { kind: 'openai', base_url: 'http://host/v1', query_prefix: 'q: ' } })).toEqual({
      EMBEDDER: 'openai',
      EMBEDDING_MODEL: undefined,
      EMBEDDING_DIMENSIONS: undefined,
      EMBEDDING_QUERY_PREFIX: 'q: ',
      EMBEDDING_PASSAGE_PREFIX: undefined,
      OPENAI_BASE_URL: 'http://host/v1',
    })
    expect(projectVariables({ encoder: { kind: 'voyage', dimensions: 512 } })).toMatchObject({
      EMBEDDER: 'voyage',
      EMBEDDING_DIMENSIONS: '512',
      EMBEDDING_BASE_URL: undefined,
    })
  })

  it('has its own name for each of these variables, and for no other', () => {
    const project = { ...PROJECT, encoder: { kind: 'openai' as const }, context: { writer: 'rules' as const } }
    const variables = Object.keys(projectVariables(project))
    expect(withFieldNames(variables.sort().join(', '), project)).toBe(
      'kind, dimensions, model, passage_prefix, query_prefix, base_url'.replace(/\w+/gu, 'handbook.encoder.$&'),
    )
    const others = 'OPENAI_API_KEY, EMBEDDING_BASE_URL, EMBEDDER_WORKERS, CONTEXT_PROMPT_FILE'
    expect(withFieldNames(others, project)).toBe(others)
    const withPrompt = { ...PROJECT, context: { writer: 'openai' as const, prompt_file: 'p.txt' } }
    expect(withFieldNames('CONTEXT_PROMPT_FILE=p.txt', withPrompt)).toBe('handbook.context.prompt_file=p.txt')
  })
})

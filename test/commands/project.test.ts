import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { openProjectFolder, type ProjectFolder } from '../../src/adapters/projects/project-folder.ts'
import { addProjectCommand } from '../../src/commands/project.ts'
import { runCommand } from '../support/run-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
let projects: ProjectFolder
let deleted: string[]
beforeEach(async () => {
  folder = temporaryFolder('stowage-project')
  projects = openProjectFolder(folder)
  deleted = []
})

const run = (...line: string[]) =>
  runCommand(
    (program, { out }) =>
      addProjectCommand(program, {
        out,
        now: () => new Date('2026-11-23T00:00:00Z'),
        open: async () => ({
          ...projects,
          readPlan: async path => (path === 'tuned.json' ? { 'rerank.blend': '0.6', RERANKER: 'off' } : {}),
          deleteCollection: async (name, { url }) => {
            deleted.push(url === undefined ? name : `${url}/${name}`)
            return name === 'docs'
          },
        }),
      }),
    'project',
    ...line,
  )

describe('stowage project', () => {
  it('stores what the options say, with the values of a plan file and of --set over it', async () => {
    const encoder = [
      '--encoder',
      'openai',
      '--model',
      'e5',
      '--query-prefix',
      'query: ',
      '--passage-prefix',
      'passage: ',
    ]
    const plan = ['--plan', 'tuned.json', '--set', 'rerank.blend=0.4', '--set', 'retrieval.mode=lexical']
    const chunking = ['--chunk-tokens', '300', '--overlap', '0', '--context', 'rules', '--map', 'text=body']
    const { out, error } = await run('create', 'wiki', '--collection', 'docs', ...encoder, ...plan, ...chunking)
    expect([error, out]).toEqual([null, 'project wiki created\n'])
    expect(await projects.find('wiki')).toEqual({
      version: 1,
      name: 'wiki',
      created_at: '2026-11-23T00:00:00.000Z',
      collection: 'docs',
      chunking: { tokens: 300, overlap: 0 },
      encoder: { kind: 'openai', model: 'e5', query_prefix: 'query: ', passage_prefix: 'passage: ' },
      context: { writer: 'rules' },
      plan: { 'rerank.blend': '0.4', RERANKER: 'off', 'retrieval.mode': 'lexical' },
      mapping: { text: 'body' },
    })
    expect(JSON.parse((await run('show', 'wiki')).out)).toEqual(await projects.find('wiki'))
    expect((await run('list')).out).toMatch(/wiki .* docs .* openai e5 .* 300 tokens .* rules/u)
  })

  it('refuses what it cannot use, and to overwrite', async () => {
    const { error } = await run(
      'create',
      'wiki',
      '--collection',
      'docs',
      '--set',
      'rerank.blend=7',
      '--encoder',
      'magic',
    )
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('encoder.kind') })
    expect((await run('create', 'wiki', '--collection', 'docs', '--set', 'oops')).error).toMatchObject({
      message: expect.stringContaining('--set oops'),
    })
    await run('create', 'wiki', '--collection', 'docs')
    expect((await run('create', 'wiki', '--collection', 'other')).error).toMatchObject({ code: 'bad_request' })
    expect(await projects.find('wiki')).toMatchObject({ collection: 'docs' })
    expect((await run('create', '../x', '--collection', 'docs')).error).toMatchObject({
      code: 'commander.invalidArgument',
    })
  })

  it('names the values that an unknown one is closest to, and not all of them', async () => {
    const { error } = await run('create', 'wiki', '--collection', 'docs', '--set', 'packing.sentence=on')
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /wiki\.plan: unknown key packing\.sentence; the closest of \d+ are: packing\.sentenceCut(?:, [\w.]+){4}$/u,
      ),
    })
  })

  it.each(['a/b', '..', '.'])('refuses the collection %s, which no search could name', async collection => {
    const { error } = await run('create', 'wiki', '--collection', collection)
    expect(error).toMatchObject({ code: 'bad_request', message: expect.stringContaining('wiki.collection') })
    expect(await projects.find('wiki')).toBeNull()
  })

  it('deletes with --yes alone, and the collection only when it is asked to', async () => {
    await run('create', 'wiki', '--collection', 'docs')
    expect((await run('delete', 'wiki')).error).toMatchObject({ code: 'bad_request' })
    expect((await run('delete', 'nobody', '--yes')).error).toMatchObject({ code: 'not_found' })
    expect((await run('delete', 'nobody', '--yes', '--with-collection')).error).toMatchObject({ code: 'not_found' })
    expect((await run('delete', 'wiki', '--yes')).out).toBe('project wiki deleted\n')
    expect(deleted).toEqual([])
    await run('create', 'wiki', '--collection', 'docs')
    await run('delete', 'wiki', '--yes', '--with-collection')
    expect([deleted, await projects.find('wiki')]).toEqual([['docs'], null])
    await run('create', 'wiki', '--collection', 'gone')
    const ended = await run('delete', 'wiki', '--yes', '--with-collection', '--url', 'http://host')
    expect(ended.out).toBe('collection gone is not there\nproject wiki deleted\n')
    expect(deleted[1]).toBe('http://host/gone')
  })

  it('can delete a project whose file is broken, and lists the fault until then', async () => {
    await writeFile(join(folder, 'broken.json'), '{')
    const { out, error } = await run('list')
    expect(out).toBe('There are no projects.\n')
    expect(error).toMatchObject({
      message: expect.stringContaining('broken cannot be used: its file is not valid JSON'),
    })
    expect((await run('delete', 'broken', '--yes')).error).toBeNull()
    expect(await projects.list()).toEqual({ projects: [], faults: [] })
  })
})

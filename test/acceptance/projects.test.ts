import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openProjectFolder } from '../../src/adapters/projects/project-folder.ts'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import type { Project } from '../../src/projects/project.ts'
import { chunk, fill } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { declareTenants, openTenantsFile } from '../support/tenants-file.ts'

let folder: string
let open: Stowage
let tenanted: Stowage
let file: Awaited<ReturnType<typeof openTenantsFile>>
const project = (name: string, over: Partial<Project>): Project => ({
  ...{ version: 1, name, created_at: '2026-11-23T00:00:00.000Z', collection: 'harbour' },
  ...over,
})

beforeAll(async () => {
  folder = temporaryFolder('stowage-projects')
  const projects = openProjectFolder(folder)
  await projects.create(project('quay', { plan: { maxChunks: 1, 'retrieval.mode': 'lexical' } }))
  await projects.create(project('ledger', { collection: 'ledger' }))
  await projects.create(project('foreign', { collection: 'foreign', mapping: { text: 'prose' } }))
  await projects.create(project('unloaded', { plan: { RERANKER: 'http' } }))
  open = await openStowage({ PROJECTS_FOLDER: folder })
  await fill(open.url, 'harbour', [
    chunk(1, 'The windlass lifts the anchor in four minutes.', { doc_id: 'd' }),
    chunk(2, 'A windlass wants grease before winter comes.', { doc_id: 'm' }),
  ])
  await fill(open.url, 'ledger', [chunk(3, 'The ledger of the windlass.', { doc_id: 'l' })])
  await fill(open.url, 'foreign', [chunk(4, 'windlass', { prose: 'A windlass of another kind.' })])
  file = await openTenantsFile(declareTenants({ acme: { collections: ['harbour'], whole_collections: true } }))
  tenanted = await openStowage({ PROJECTS_FOLDER: folder, QDRANT_URL: open.url, TENANTS_FILE: file.path })
})
afterAll(async () => {
  await Promise.all([tenanted.close(), file.remove(), rm(folder, { recursive: true })])
  await open.close()
})

describe('/v1/context of a project', () => {
  it('searches its collection by its plan, and the request changes the plan', async () => {
    const { json } = await open.ask({ query: 'windlass', project: 'quay' })
    expect(json.chunks.map(({ collection }) => collection)).toEqual(['harbour'])
    expect(json.mode).toEqual({ asked: 'lexical', used: 'lexical' })
    expect((await open.ask({ query: 'windlass', project: 'quay', limit: 5 })).json.chunks).toHaveLength(2)
    expect((await open.ask({ query: 'windlass', collection: 'harbour' })).json.chunks).toHaveLength(2)
  })

  it('reads a collection of others by its mapping', async () => {
    const { json } = await open.ask({ query: 'windlass', project: 'foreign' })
    expect(json.chunks.map(({ text }) => text)).toEqual(['A windlass of another kind.'])
  })

  it('takes a project that is made while stowage runs', async () => {
    expect((await open.ask({ query: 'windlass', project: 'new' })).status).toBe(404)
    await writeFile(join(folder, 'new.json'), JSON.stringify(project('new', {})))
    expect((await open.ask({ query: 'windlass', project: 'new' })).status).toBe(200)
  })

  it.each([
    ['an unknown project', { project: 'nobody' }, 404, 'nobody'],
    ['a project with a reranker that is not loaded', { project: 'unloaded' }, 422, 'RERANKER=http'],
    ['a project and a collection', { project: 'quay', collection: 'harbour' }, 400, 'either collection or project'],
    ['neither', {}, 400, 'either collection or project'],
  ])('refuses %s', async (_name, body, status, named) => {
    const { status: answered, json } = await open.ask({ query: 'windlass', ...body })
    expect(answered).toBe(status)
    expect(json.error.message).toContain(named)
  })

  it('says that a file cannot be read, and not where it is', async () => {
    await mkdir(join(folder, 'sealed.json'))
    const { status, json } = await open.ask({ query: 'windlass', project: 'sealed' })
    expect([status, json.error]).toEqual([
      422,
      { code: 'unprocessable', message: 'The project sealed cannot be used: its file cannot be read (EISDIR)' },
    ])
    await rm(join(folder, 'sealed.json'), { recursive: true })
  })

  it('ends the start when its folder cannot be read, by the name and value of the variable', async () => {
    const path = join(folder, 'quay.json')
    await expect(openStowage({ PROJECTS_FOLDER: path })).rejects.toThrow(`PROJECTS_FOLDER=${path}: cannot be used: `)
  })

  it('tells a tenant nothing of projects whose collection it does not reach', async () => {
    const as = (name: string) => tenanted.ask({ query: 'windlass', project: name }, { 'api-key': 'acme' })
    expect((await as('quay')).json.chunks).toHaveLength(1)
    const [other, unknown] = [await as('ledger'), await as('nobody')]
    expect([other.status, unknown.status]).toEqual([404, 404])
    expect(other.json.error.message.replace('ledger', 'nobody')).toBe(unknown.json.error.message)
  })
})

it('deletes a collection with its points, and a missing one is no fault', async () => {
  await fill(open.url, 'brief', [chunk(9, 'Short.')])
  const admin = createQdrantAdmin({ url: open.url, apiKey: null })
  await admin.deleteCollection('brief')
  await admin.deleteCollection('brief')
  expect((await admin.names()).map(({ name }) => name)).not.toContain('brief')
})

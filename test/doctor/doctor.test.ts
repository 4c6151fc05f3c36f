import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createQdrantAdmin } from '../../src/adapters/qdrant/admin.ts'
import { addDoctorCommand } from '../../src/commands/doctor.ts'
import { diagnose } from '../../src/doctor/doctor.ts'
import type { CollectionFacts, ServerState, Setup } from '../../src/doctor/facts.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import type { CollectionLayout } from '../../src/ingest/target.ts'
import { createFakeEmbedder, dependencies } from '../support/ingest-world.ts'
import { runCommand } from '../support/run-command.ts'

const embedder = { version: 'fake/4/mean', dimensions: 4 }
const setup: Setup = {
  url: 'http://q',
  embedded: false,
  embedder,
  unavailable: { embedder: null, reranker: null },
  modelWarnings: [],
  mappings: {},
  tenants: null,
  unknownVariables: [],
  unwritable: [],
  flagFaults: [],
}
const layout: CollectionLayout = {
  points: 3,
  dense: [{ name: 'dense', size: 4, distance: 'Cosine' }],
  sparse: [{ name: 'sparse', idf: true }],
  indexes: { doc_id: 'keyword', order_index: 'integer', tenant: 'keyword' },
}
const payload = {
  ...{ doc_id: 'd', doc_title: 'Doc', order_index: 0, text: 'text', tenant: 't' },
  embedder_version: embedder.version,
}

const german = { ...payload, text: 'Der Schlüssel wird auf dem Server abgelegt und ist für die Anmeldung nötig.' }

function statuses(over: {
  setup?: Partial<Setup>
  version?: string
  server?: ServerState
  collection?: Partial<CollectionFacts>
}) {
  const collection = { name: 'c', layout, samples: [payload, payload], ...over.collection }
  const findings = diagnose({
    setup: { ...setup, ...over.setup },
    server: over.server ?? { kind: 'qdrant', version: over.version ?? '1.18.0', refusedByFetch: false },
    collection: { facts: collection, fault: null },
    tenants: null,
  })
  for (const { status, fix } of findings) expect(fix === null).toBe(status === 'ok')
  return Object.fromEntries(findings.map(({ check, status }) => [check, status]))
}

describe('diagnose', () => {
  it('says nothing of the language of texts that the reranker reads, or of which it cannot be told', () => {
    const english = { ...payload, text: 'The key is kept on the server, and it is needed for the login.' }
    for (const languages of [['en', 'de'], undefined]) {
      const found = statuses({ setup: { reranker: languages ? { languages } : {} }, collection: { samples: [german] } })
      expect(found).not.toHaveProperty('language')
    }
    const samples = [german, english, payload, payload]
    expect(statuses({ setup: { reranker: { languages: ['en'] } }, collection: { samples } })).not.toHaveProperty(
      'language',
    )
  })

  it('finds nothing wrong where nothing is', () => {
    expect(new Set(Object.values(statuses({})))).toEqual(new Set(['ok']))
  })

  const { points, dense, sparse, indexes } = layout
  it.each<[string, Parameters<typeof statuses>[0], Record<string, string>]>([
    ['a server that is too old', { version: '1.9.7' }, { qdrant: 'fail' }],
    ['a server of the first minor that will do', { version: '1.10.0' }, { qdrant: 'ok' }],
    ['a server of a later major', { version: '2.0.0' }, { qdrant: 'ok' }],
    [
      'texts that the reranker does not read',
      { setup: { reranker: { languages: ['en'] } }, collection: { samples: [german, german, payload] } },
      { language: 'warn', text: 'ok' },
    ],
    ['something that is no Qdrant', { server: { kind: 'other_service', detail: '404' } }, { qdrant: 'fail' }],
    ['a server that does not answer', { server: { kind: 'nobody', reason: 'refused' } }, { qdrant: 'fail' }],
    [
      'a port that fetch refuses',
      { server: { kind: 'qdrant', version: '1.18.0', refusedByFetch: true } },
      { qdrant: 'warn' },
    ],
    [
      'a shared store that is away',
      { setup: { sharedStore: { fault: 'cannot be read' } } },
      { 'shared store': 'warn' },
    ],
    [
      'a file that cannot be written',
      { setup: { unwritable: ['TRACE_FILE=/no: cannot be written'] } },
      { files: 'warn' },
    ],
    ['a flag without effect', { setup: { flagFaults: ['FLAGS_FILE: …'] } }, { flags: 'warn' }],
    ['a variable that is misspelt', { setup: { unknownVariables: ['RERANKR: ?'] } }, { configuration: 'warn' }],
    [
      'an embedder that is missing',
      { setup: { embedder: null, unavailable: { embedder: 'no files', reranker: null } } },
      { embedder: 'warn', 'dense vectors': 'warn' },
    ],
    ['an embedder that is off', { setup: { embedder: null } }, { embedder: 'ok', 'dense vectors': 'warn' }],
    [
      'a reranker that is missing',
      { setup: { unavailable: { embedder: null, reranker: 'no weights' } } },
      { reranker: 'warn' },
    ],
    [
      'a folder of the reranker that cannot be written',
      { setup: { modelWarnings: ['RERANK_DISK_PATH: kept in memory only'] } },
      { models: 'warn' },
    ],
    [
      'an endpoint of the reranker that does not answer',
      { setup: { rerankNodes: [{ node: 'a:1', fault: 'cannot be reached', model: null }] } },
      { 'rerank endpoint': 'warn' },
    ],
    [
      'endpoints of the reranker that answer, with different models',
      { setup: { rerankNodes: ['one', 'two'].map(model => ({ node: model, fault: null, model })) } },
      { 'rerank endpoint': 'ok', 'rerank models': 'warn' },
    ],
    ['no collection', { collection: { layout: null, samples: [] } }, { collection: 'fail' }],
    ['an empty collection', { collection: { samples: [] } }, { collection: 'warn' }],
    [
      'another dimension',
      { collection: { layout: { points, sparse, indexes, dense: [{ name: '', size: 5, distance: 'Dot' }] } } },
      { 'dense vectors': 'fail' },
    ],
    [
      'dense vectors alone without an embedder',
      { setup: { embedder: null }, collection: { layout: { points, dense, indexes, sparse: [] } } },
      { 'dense vectors': 'fail', 'keyword vectors': 'warn' },
    ],
    [
      'no dense vectors',
      { collection: { layout: { points, sparse, indexes, dense: [] } } },
      { 'dense vectors': 'warn' },
    ],
    [
      'no sparse vectors',
      { collection: { layout: { points, dense, indexes, sparse: [] } } },
      { 'keyword vectors': 'warn' },
    ],
    [
      'sparse vectors without idf',
      { collection: { layout: { points, dense, indexes, sparse: [{ name: 's', idf: false }] } } },
      { 'keyword vectors': 'warn' },
    ],
    [
      'a field without an index',
      { collection: { layout: { points, dense, sparse, indexes: { doc_id: 'keyword', order_index: 'integer' } } } },
      { 'payload indexes': 'warn' },
    ],
    ['no text at all', { collection: { samples: [{ ...payload, text: '' }] } }, { text: 'fail' }],
    ['text here and there', { collection: { samples: [payload, { ...payload, text: 5 }] } }, { text: 'warn' }],
    [
      'chunks without an order',
      { collection: { samples: [{ text: 'a', source: 'b.md', title: 'B' }] } },
      { neighbours: 'warn' },
    ],
    [
      'documents without a name',
      { collection: { samples: [{ ...payload, doc_title: '' }] } },
      { 'document names': 'warn' },
    ],
    [
      'names here and there',
      { collection: { samples: [payload, { ...payload, doc_title: '' }] } },
      { 'document names': 'ok' },
    ],
    [
      'another embedder',
      { collection: { samples: [{ ...payload, embedder_version: 'other' }] } },
      { 'embedder version': 'fail' },
    ],
    [
      'two embedders',
      { collection: { samples: [payload, { ...payload, embedder_version: 'other' }] }, setup: { embedder: null } },
      { 'embedder version': 'fail', 'dense vectors': 'warn' },
    ],
    [
      'payloads that are none',
      { collection: { samples: [null, 5, []] } },
      { text: 'fail', neighbours: 'warn', 'document names': 'warn' },
    ],
  ])('tells %s', (_, over, expected) => {
    const found = statuses(over)
    const notOk = Object.fromEntries(
      Object.entries(found).filter(([check, status]) => status !== 'ok' || check in expected),
    )
    expect(notOk).toEqual(expected)
  })

  it('wants an index where a foreign collection keeps its neighbours', () => {
    const samples = [{ page_content: 'x', metadata: { source: 's', chunk_index: 1 } }]
    const indexed = { ...layout, indexes: { 'metadata.source': 'keyword', 'metadata.chunk_index': 'integer' } }
    expect(statuses({ collection: { samples } })['payload indexes']).toBe('warn')
    expect(statuses({ collection: { samples, layout: indexed } })['payload indexes']).toBe('ok')
  })

  it('wants an index on the documents of a large foreign collection', () => {
    const samples = [{ page_content: 'x', metadata: { source: 's' } }]
    const ofPoints = (points: number, indexes = {}) => ({
      collection: { samples, layout: { ...layout, points, indexes } },
    })
    expect(statuses(ofPoints(20_000))['payload indexes']).toBe('ok')
    expect(statuses(ofPoints(20_001))['payload indexes']).toBe('warn')
    expect(statuses(ofPoints(20_001, { 'metadata.source': 'keyword' }))['payload indexes']).toBe('ok')
  })
})

describe('stowage doctor', () => {
  let engine: EmbeddedServer
  beforeAll(async () => {
    engine = await startEmbeddedServer()
    const documents = [{ docId: 'd', title: 'D', text: 'Some text that is long enough.' }]
    await ingest(documents, dependencies(engine.url, createFakeEmbedder()), { collection: 'c', tenant: 't' })
  })
  afterAll(() => engine.close())

  const run = (url: string, ...line: string[]) =>
    runCommand(
      (program, { out }) =>
        addDoctorCommand(program, {
          out,
          open: async () => ({
            setup: { ...setup, url, embedded: true },
            probe: createQdrantAdmin({ url, apiKey: null }),
            close: async () => {},
          }),
        }),
      'doctor',
      ...line,
    )

  it('finds what ingest made to be well', async () => {
    const { out, error } = await run(engine.url, '--collection', 'c', '--json')
    expect(error).toBeNull()
    const { ok, findings } = JSON.parse(out)
    expect(ok).toBe(true)
    expect(findings.length).toBeGreaterThan(8)
    for (const finding of findings) expect(finding).toMatchObject({ status: 'ok', fix: null })
  })

  it('fails on a collection that is not there, saying how to make it', async () => {
    const { out, error } = await run(engine.url, '--collection', 'nowhere')
    expect(error).toMatchObject({ name: 'StowageError' })
    expect(out).toMatch(/✗ collection +nowhere does not exist\n +→ .*stowage ingest PATH --collection nowhere/)
  })

  it('names no address of the embedded engine, which ends with doctor, and QDRANT_URL for a collection that is elsewhere', async () => {
    const well = await run(engine.url, '--collection', 'c')
    expect(well.out).toMatch(/next: step 5.*\n +Start stowage serve with the same variables/)
    expect(well.out).not.toContain(engine.url)
    expect((await run(engine.url, '--collection', 'nowhere')).out).toMatch(/→ If it is in your Qdrant, set QDRANT_URL/)
  })

  it('fails where nothing listens', async () => {
    const gone = await startEmbeddedServer()
    await gone.close()
    const { out, error } = await run(gone.url, '--collection', 'c')
    expect(error).toMatchObject({ name: 'StowageError' })
    expect(out).toMatch(/✗ qdrant .*cannot be reached \(ECONNREFUSED\)/)
    expect(out).toContain(gone.url)
    expect(out).not.toMatch(/^. collection/mu)
  })

  it('makes a finding of a setup that fails', async () => {
    const { out, error } = await runCommand(
      (program, streams) =>
        addDoctorCommand(program, {
          out: streams.out,
          open: () => Promise.reject(new Error('PORT="x": must be a whole number')),
        }),
      'doctor',
      '--json',
    )
    expect(error).toMatchObject({ name: 'StowageError' })
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      findings: [{ check: 'configuration', status: 'fail', detail: expect.stringContaining('PORT') }],
    })
  })
})

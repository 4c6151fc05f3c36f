import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { ingest } from '../../src/ingest/ingest.ts'
import { dependencies } from '../support/ingest-world.ts'
import { chunk, fill } from '../support/points.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { runReplayCommand } from './support/replay.ts'

let server: EmbeddedServer
let folder = ''
beforeAll(async () => {
  vi.stubEnv('EMBEDDER', 'none')
  vi.stubEnv('RERANKER', 'off')
  server = await startEmbeddedServer({})
  folder = temporaryFolder('replay-live')
  await fill(server.url, 'docs', [
    chunk('9223372036854775809', 'The copper lamp of hall one burns for nine hours.', { tenant: 'acme', rank: 1 }),
    chunk(2, 'The copper lamp of hall two burns for seven hours.', { tenant: 'zenith', rank: 2 }),
    chunk(3, 'The bell rings at noon.', { tenant: 'acme', rank: 3 }),
  ])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

test('a live collection is asked with the tenant and the filter of each query', async () => {
  const queries = [
    '{"id":"point","query":"how long burns the copper lamp?","gold":[{"point_id":9223372036854775809},{"point_id":2}]}',
    '{"id":"acme","query":"how long burns the copper lamp?","tenant":"acme","gold":[{"point_id":9223372036854775809},{"point_id":2}]}',
    '{"id":"zenith","query":"how long burns the copper lamp?","tenant":"zenith","gold":[{"text":"The copper lamp of hall two burns for seven hours."}]}',
    '{"id":"filtered","query":"how long burns the copper lamp?","filter":{"must":[{"key":"rank","match":{"value":9223372036854775809}}]},"gold":[{"point_id":2}]}',
  ]
  await writeFile(join(folder, 'asked.jsonl'), queries.join('\n'))
  const live = ['--url', server.url, '--collection', 'docs']
  const json = join(folder, 'report.json')
  const ended = await runReplayCommand(
    join(folder, 'asked.jsonl'),
    ...live,
    '--arms',
    'topk',
    '--budgets',
    '300',
    '--json',
    json,
  )
  expect(ended.error).toBeNull()
  const [set] = JSON.parse(await readFile(json, 'utf8')).sets
  expect(set).toMatchObject({ name: 'asked', documents: 0, chunks: 3 })
  const recall = set.queries.map(
    (query: { id: string; arms: Record<string, Record<string, { measures: { recall: number } }>> }) => [
      query.id,
      query.arms.topk?.['300']?.measures.recall,
    ],
  )
  expect(recall).toEqual([
    ['point', 1],
    ['acme', 0.5],
    ['zenith', 1],
    ['filtered', 0],
  ])
})

test('a URL without a collection, a missing collection and a missing gold end the command before the first query', async () => {
  const file = join(folder, 'asked.jsonl')
  await writeFile(file, '{"id":"q","query":"x","gold":[{"point_id":44}]}')
  const message = async (...line: string[]) => ((await runReplayCommand(file, ...line)).error as Error).message
  expect(await message('--url', server.url)).toContain('--url needs --collection')
  expect(await message('--url', server.url, '--collection', 'nobody')).toMatch(/nobody/)
  const missing = await message('--url', server.url, '--api-key', 'sk-secret', '--collection', 'docs')
  expect(missing).toContain('asked.jsonl:1: gold.0: point_id: no point 44 in the collection docs')
  expect(missing).not.toContain('sk-secret')
})

const HARBOUR = `# Harbour

## Basin

Der Hafenmeister öffnet das Becken um sechs Uhr früh. 🚢 The basin of the old harbour is nine spans deep at low water.

| berth | depth |
|---|---|
| north | nine spans |
| south | four spans |

## Crane

The crane of the quay lifts two tons, and nobody stands below its hook while it turns.
`

test('recall by place and the steps of its loss are measured in a live collection whose chunks have offsets', async () => {
  const documents = [{ docId: 'harbour', title: 'Harbour', text: HARBOUR }]
  await ingest(documents, dependencies(server.url, null), { collection: 'quay', chunkTokens: 60, overlap: 0.2 })
  await fill(server.url, 'bare', [chunk(1, 'The crane of the quay lifts two tons.', { doc_id: 'crane' })])
  const basin = HARBOUR.indexOf('The basin')
  const span = `{"doc_id":"harbour","start":${basin},"end":${HARBOUR.indexOf('deep at') + 4}}`
  const measured = async (collection: string, gold: string, query: string) => {
    await writeFile(join(folder, 'placed.jsonl'), JSON.stringify({ id: 'q', query, gold: [JSON.parse(gold)] }))
    const json = join(folder, 'placed.json')
    const live = ['--url', server.url, '--collection', collection, '--arms', 'topk', '--budgets', '600']
    const ended = await runReplayCommand(join(folder, 'placed.jsonl'), ...live, '--explain', '--json', json)
    expect(ended.error).toBeNull()
    const { measures, loss } = JSON.parse(await readFile(json, 'utf8')).sets[0].queries[0].arms.topk['600']
    return [measures.recall, measures.place_recall, loss.text.golds[0].step, loss.place?.golds[0].step ?? null]
  }
  expect(await measured('quay', span, 'how deep is the basin?')).toEqual([1, 1, 'found', 'found'])
  expect(await measured('quay', '{"doc_id":"harbour"}', 'how deep is the basin, and what lifts the crane?')).toEqual([
    ...[1, 1, 'found', 'found'],
  ])
  // Without offsets nobody can say where a text stands.
  expect(await measured('bare', '{"doc_id":"crane"}', 'what lifts the crane?')).toEqual([1, null, 'found', null])
})

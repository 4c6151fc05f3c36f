import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { addReplayCommand } from '../../src/commands/replay/replay.ts'
import { type EmbeddedServer, startEmbeddedServer } from '../../src/embedded/server.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { openLiveCollection, openReplay } from '../../src/wiring/commands.ts'
import { chunk, fill } from '../support/points.ts'
import { runCommand } from '../support/run-command.ts'

let server: EmbeddedServer
let folder = ''
beforeAll(async () => {
  vi.stubEnv('EMBEDDER', 'none')
  vi.stubEnv('RERANKER', 'off')
  server = await startEmbeddedServer({})
  folder = await mkdtemp(join(tmpdir(), 'replay-live-'))
  await fill(server.url, 'docs', [
    chunk('9223372036854775809', 'The copper lamp of hall one burns for nine hours.', { tenant: 'acme', rank: 1 }),
    chunk(2, 'The copper lamp of hall two burns for seven hours.', { tenant: 'zenith', rank: 2 }),
    chunk(3, 'The bell rings at noon.', { tenant: 'acme', rank: 3 }),
  ])
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
  await rm(folder, { recursive: true })
})

const replay = (...line: string[]) =>
  runCommand(
    (program, streams) =>
      addReplayCommand(program, {
        ...streams,
        plans: () => NAMED_PLANS,
        open: openReplay,
        openCollection: openLiveCollection,
      }),
    'replay',
    ...line,
  )

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
  const ended = await replay(join(folder, 'asked.jsonl'), ...live, '--arms', 'topk', '--budgets', '300', '--json', json)
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
  const message = async (...line: string[]) => ((await replay(file, ...line)).error as Error).message
  expect(await message('--url', server.url)).toContain('--url needs --collection')
  expect(await message('--url', server.url, '--collection', 'nobody')).toMatch(/nobody/)
  const missing = await message('--url', server.url, '--api-key', 'sk-secret', '--collection', 'docs')
  expect(missing).toContain('asked.jsonl:1: gold.0: point_id: no point 44 in the collection docs')
  expect(missing).not.toContain('sk-secret')
})

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { encodeBm25Document } from '../../src/text/qdrant-bm25.ts'
import { send } from '../support/send.ts'
import { openStowage } from '../support/stowage.ts'
import { startServerThread } from './server-thread.ts'

/**
 * Delay of upserts by the queue of contexts, in blocks that follow one another: directly to the engine, through stowage without contexts,
 * and through stowage with contexts, while the queue works. The engine has a thread of its own. The queue is empty before each block.
 */

const ROUNDS = Number(process.argv[2] ?? 6)
const UPSERTS = 25
const POINTS = 20
const ARMS = ['direct', 'off', 'on'] as const

const folder = mkdtempSync(join(tmpdir(), 'bench-queue-'))
const engine = await startServerThread({ role: 'engine' })
const project = {
  version: 1,
  name: 'on',
  created_at: '2026-01-01T00:00:00Z',
  collection: 'on',
  context: { writer: 'rules' },
}
writeFileSync(join(folder, 'on.json'), JSON.stringify(project))
const stowage = await openStowage({ QDRANT_URL: engine.url, PROJECTS_FOLDER: folder, CONTEXT_STATE_FOLDER: folder })
const words = Array.from({ length: 120 }, (_, word) => `word${(word * 7) % 53}`).join(' ')
const times = { direct: [] as number[], off: [] as number[], on: [] as number[] }

async function upsert(arm: (typeof ARMS)[number], run: number): Promise<void> {
  const points = Array.from({ length: POINTS }, (_, index) => {
    const text = `${run} ${index} ${words}`
    const payload = { doc_id: `d${run}`, doc_title: 'T', section_path: 'S', order_index: index, text }
    return { id: run * POINTS + index, payload, vector: { sparse: encodeBm25Document(`T > S\n${text}`) } }
  })
  const body = JSON.stringify({ points })
  const url = arm === 'direct' ? engine.url : stowage.url
  const start = performance.now()
  const { status } = await send(url, 'PUT', `/collections/${arm}/points?wait=true`, body)
  if (status !== 200) throw new Error(`status ${status}`)
  times[arm].push(performance.now() - start)
}

/** Waits until all points have their contexts. */
async function drained(): Promise<void> {
  const filter = { must: [{ is_empty: { key: 'context_version' } }] }
  for (let look = 0; look < 600; look++) {
    const { json } = await send(engine.url, 'POST', '/collections/on/points/count', { filter })
    if ((json as { result: { count: number } }).result.count === 0) return
    await pause(100)
  }
  throw new Error('the queue does not become empty')
}

const share = (all: number[], part: number): number =>
  [...all].sort((a, b) => a - b)[Math.floor(part * (all.length - 1))] ?? 0

for (const arm of ARMS)
  await send(engine.url, 'PUT', `/collections/${arm}`, { sparse_vectors: { sparse: { modifier: 'idf' } } })
for (let round = 0; round <= ROUNDS; round++) {
  for (const arm of ARMS) {
    for (let at = 0; at < UPSERTS; at++) await upsert(arm, round * UPSERTS + at)
    await drained()
    // The first round warms up.
    if (round === 0) times[arm] = []
  }
}
for (const arm of ARMS) {
  const [p50, p95] = [0.5, 0.95].map(part => share(times[arm], part).toFixed(1))
  console.log(`${arm}: ${times[arm].length} upserts of ${POINTS} points, p50 ${p50} ms, p95 ${p95} ms`)
}
await stowage.close()
await engine.worker.terminate()
rmSync(folder, { recursive: true, force: true })

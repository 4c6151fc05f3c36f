import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addReplayCommand } from '../../../src/commands/replay/replay.ts'
import { loadConfig } from '../../../src/config.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { openReplay } from '../../../src/wiring/commands.ts'
import { type JsonServer, startJsonServer } from '../../support/json-server.ts'
import { runCommand } from '../../support/run-command.ts'
import { createCommands, STOWAGE } from '../../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../../support/timeouts.ts'

// The sources are a part of the journal's name, so the process that is killed has to run the same TypeScript as this one.
const { runUntil } = createCommands({ node: process.execPath, script: STOWAGE })

const QUERIES = 16
/** The reranker answers so many queries, and then keeps all others waiting. */
const ANSWERED = 7

let folder = ''
let reranker: JsonServer
let isHeld = false

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'killed-'))
  mkdirSync(join(folder, 'halls'))
  const halls = Array.from({ length: QUERIES }, (_, at) => at)
  const rows = (lines: unknown[]) => lines.map(line => JSON.stringify(line)).join('\n')
  const text = (hall: number) => `# Hall ${hall}\n\nThe pump of hall ${hall} lifts ${hall * 7} barrels.`
  writeFileSync(
    join(folder, 'halls', 'corpus.jsonl'),
    rows(halls.map(hall => ({ doc_id: `d${hall}`, text: text(hall) }))),
  )
  const queryOf = (hall: number) => ({
    id: `q${hall}`,
    query: `What does hall ${hall} lift?`,
    gold: [{ doc_id: `d${hall}` }],
  })
  writeFileSync(join(folder, 'halls', 'queries.jsonl'), rows(halls.map(queryOf)))

  isHeld = false
  let asked = 0
  let isHolding = true
  reranker = await startJsonServer(body => {
    if (isHolding && ++asked > ANSWERED) {
      isHeld = true
      return 'never'
    }
    const documents = body.documents as string[]
    return { body: { results: documents.map((document, index) => ({ index, relevance_score: 1 / document.length })) } }
  })
  release = () => {
    isHolding = false
  }
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await reranker.close()
  rmSync(folder, { recursive: true })
})

/** Lets the reranker answer everything from now on. */
let release = () => {}

const environment = () => ({
  EMBEDDER: 'none',
  RERANKER: 'http',
  RERANK_SHAPE: 'cohere',
  RERANK_URL: `${reranker.url}/rerank`,
})

const replayLine = (cache: string) => [
  ...['replay', join(folder, 'halls'), '--arms', 'topk,measured', '--budgets', '20,200', '--parallel', '2'],
  ...['--cache', join(folder, cache), '--json', join(folder, `${cache}.json`)],
]

async function replayHere(cache: string) {
  const { plan } = loadConfig()
  const plans = () => ({ ...NAMED_PLANS, [plan.name]: plan })
  const add: Parameters<typeof runCommand>[0] = (program, streams) =>
    addReplayCommand(program, {
      openCollection: () => Promise.reject(new Error('not asked for')),
      ...streams,
      plans,
      open: openReplay,
    })
  const { shown, error } = await runCommand(add, ...replayLine(cache))
  expect(error).toBeNull()
  const report = JSON.parse(readFileSync(join(folder, `${cache}.json`), 'utf8'), (key, value) =>
    ['ms', 'stageMs', 'latency'].includes(key) ? undefined : value,
  )
  return { shown, report }
}

describe('a replay that is killed', { timeout: 2 * CHILD_PROCESS_MS }, () => {
  it('goes on in another process, and its figures are those of an undisturbed one', async () => {
    const { code } = await runUntil(replayLine('killed'), () => isHeld, environment())
    expect(code).toBeNull()
    release()
    const resumed = await replayHere('killed')
    const [, done] =
      /resuming: (\d+) of 16 queries of halls are done \(--fresh starts anew\)/u.exec(resumed.shown) ?? []
    // Two queries were in flight.
    expect(Number(done)).toBeGreaterThanOrEqual(ANSWERED - 1)
    expect(Number(done)).toBeLessThanOrEqual(ANSWERED)
    expect(readdirSync(join(folder, 'killed', 'journal'))).toEqual([])
    const undisturbed = await replayHere('undisturbed')
    expect(undisturbed.shown).not.toContain('resuming')
    expect(resumed.report).toEqual(undisturbed.report)
  })
})

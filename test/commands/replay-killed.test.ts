import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addReplayCommand } from '../../src/commands/replay/replay.ts'
import { loadConfig } from '../../src/config.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { openReplay } from '../../src/wiring/commands.ts'
import { runCommand } from '../support/run-command.ts'
import { runUntil } from '../support/stowage-process.ts'
import { CHILD_PROCESS_MS } from '../support/timeouts.ts'

const QUERIES = 50
let folder = ''
beforeEach(() => {
  vi.stubEnv('EMBEDDER', 'none')
  vi.stubEnv('RERANKER', 'off')
  folder = mkdtempSync(join(tmpdir(), 'killed-'))
  mkdirSync(join(folder, 'halls'))
  const texts = Array.from({ length: 30 }, (_, at) => `# Hall ${at}\n\nThe pump of hall ${at} lifts ${at * 7} barrels.`)
  const rows = (lines: unknown[]) => lines.map(line => JSON.stringify(line)).join('\n')
  writeFileSync(join(folder, 'halls', 'corpus.jsonl'), rows(texts.map((text, at) => ({ doc_id: `d${at}`, text }))))
  const queries = Array.from({ length: QUERIES }, (_, at) => ({
    id: `q${at}`,
    query: `What does the pump of hall ${at % 30} lift?`,
    gold: [{ doc_id: `d${at % 30}` }],
  }))
  writeFileSync(join(folder, 'halls', 'queries.jsonl'), rows(queries))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
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

const journal = () => join(folder, 'killed', 'journal')
const linesOfJournal = () => {
  if (!existsSync(journal())) return 0
  const files = readdirSync(journal()).map(name => join(journal(), name, 'figures.jsonl'))
  return files.reduce((sum, file) => sum + (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length : 0), 0)
}

describe('a replay that is killed', { timeout: CHILD_PROCESS_MS }, () => {
  it('goes on in another process, and its figures are those of an undisturbed one', async () => {
    const { code } = await runUntil(replayLine('killed'), () => linesOfJournal() > 6)
    expect(code).toBeNull()
    const resumed = await replayHere('killed')
    const [, done] =
      /resuming: (\d+) of 50 queries of halls are done \(--fresh starts anew\)/u.exec(resumed.shown) ?? []
    expect(Number(done)).toBeGreaterThan(3)
    expect(Number(done)).toBeLessThan(QUERIES)
    expect(readdirSync(journal())).toEqual([])
    const undisturbed = await replayHere('undisturbed')
    expect(undisturbed.shown).not.toContain('resuming')
    expect(resumed.report).toEqual(undisturbed.report)
  })
})

import { appendFileSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadConfig } from '../../../src/config.ts'
import { CHUNK_DEFAULTS } from '../../../src/ingest/chunking/options.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { contentHash } from '../../../src/text/fingerprint.ts'
import { openModels } from '../../../src/wiring/models.ts'
import { replayWorld } from '../../../src/wiring/replay.ts'
import { askQuestion, type Row } from './asking.ts'
import { fitModels } from './fitting.ts'
import { type BenchSet, questionsTo, readBenchSet, WORLDS } from './questions.ts'
import { fillTable, halvesTable, leaveOneOutTable, neighbourShare, passagesTable, verdictTable } from './tables.ts'

/**
 * Asks the questions of golden sets to documents that answer them and to documents that do not (see `WORLDS`), and measures how well `answerable`
 * tells them apart, how well `relevance` is calibrated, and what `fill: "relevant"` saves.
 *
 * Usage: npm run bench:confidence -- goldens/isharoth SET… [--limit 50] [--budgets 1000,4000] [--worlds own,other] [--fit] [--cache FOLDER] [--rows FILE]
 *
 * `--rows` keeps what was asked: sets whose rows are in the file are not asked again. `--fit` prints the weights, fitted on the training halves.
 */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      limit: { type: 'string', default: '50' },
      budgets: { type: 'string', default: '1000,4000' },
      worlds: { type: 'string', default: WORLDS.join(',') },
      fit: { type: 'boolean', default: false },
      cache: { type: 'string' },
      rows: { type: 'string' },
    },
  })
  const sets = await Promise.all(positionals.map(readBenchSet))
  const rows = values.rows === undefined ? [] : readRows(values.rows)
  const budgets = values.budgets.split(',').map(Number)
  await ask(
    sets,
    { limit: Number(values.limit), budgets, worlds: values.worlds.split(','), cache: values.cache },
    rows,
    row => {
      rows.push(row)
      if (values.rows !== undefined) appendFileSync(values.rows, `${JSON.stringify(row)}\n`)
    },
  )
  for (const signals of ['reranker', 'words'] as const) {
    print(`${signals}: fitted on the other sets`, leaveOneOutTable(rows, signals))
    print(`${signals}: test halves, fitted on the training halves`, halvesTable(rows, signals))
    print(`${signals}: verdicts of the shipped weights, test halves`, verdictTable(rows, signals))
    print(`${signals}: relevance of passages, test halves`, passagesTable(rows, signals))
    print(`${signals}: neighbours`, `${neighbourShare(rows, signals).toFixed(2)}\n`)
    const training = rows.filter(({ split }) => split === 'train')
    if (values.fit) print(`${signals}: weights`, `${JSON.stringify(fitModels(training, signals))}\n`)
  }
  print('fill', fillTable(rows))
}

interface Asking {
  limit: number
  budgets: number[]
  worlds: readonly string[]
  /** Folder for ingested sets, which can be that of a replay. */
  cache: string | undefined
}

/** Asks every set that has no rows yet. A set is asked the questions of the next one, too. */
async function ask(
  sets: BenchSet[],
  { limit, budgets, worlds, cache }: Asking,
  known: Row[],
  onRow: (row: Row) => void,
) {
  const done = new Set(known.map(({ set }) => set))
  const config = loadConfig()
  const models = await openModels(config)
  const world = replayWorld(models, NAMED_PLANS.measured.tokenizerModel, {
    openLive,
    contexts: openLive,
    contextualTwins: new Map(),
  })
  const folder = cache ?? (await mkdtemp(join(tmpdir(), 'stowage-confidence-')))
  const collection = 'replay'
  try {
    for (const [at, one] of sets.entries()) {
      const { set } = one
      if (done.has(set.name)) continue
      const { targetTokens: chunkTokens } = CHUNK_DEFAULTS
      const name = contentHash(JSON.stringify([2, set.corpusHash, models.embedder?.version ?? null, chunkTokens]))
      const opened = await world.openFolder(join(folder, name))
      const options = { collection, chunkTokens, chunking: 'sections' as const, contexts: null, onProgress: () => {} }
      await opened.ingest(set.documents, options)
      const ports = { ...world.ports, store: opened.store }
      const other = sets.length > 1 ? (sets[(at + 1) % sets.length]?.set ?? null) : null
      const questions = questionsTo(one, other, limit).filter(({ world }) => worlds.includes(world))
      for (const [asked, question] of questions.entries()) {
        onRow(await askQuestion(question, { collection, set: set.name, ports, budgets }))
        process.stderr.write(`\r${set.name} ${asked + 1}/${questions.length} `)
      }
      await opened.close()
    }
  } finally {
    await models.close()
    if (cache === undefined) await rm(folder, { recursive: true, force: true })
  }
}

function openLive(): never {
  throw new Error('this script reads plain chunks')
}

function readRows(file: string): Row[] {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines.filter(line => line !== '').map(line => JSON.parse(line) as Row)
  } catch {
    return []
  }
}

function print(title: string, table: string): void {
  process.stdout.write(`\n${title}\n\n${table}`)
}

await main()

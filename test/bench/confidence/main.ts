import { appendFileSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { listOption } from '../../../src/commands/option-values.ts'
import { loadConfig } from '../../../src/config.ts'
import { GROUP_NAMES, type QuestionGroup } from '../../../src/evaluation/verdicts/questions.ts'
import { CHUNK_DEFAULTS } from '../../../src/ingest/chunking/options.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { contentHash } from '../../../src/text/fingerprint.ts'
import { openModels } from '../../../src/wiring/models.ts'
import { replayWorld } from '../../../src/wiring/replay.ts'
import { count, finish } from '../terminal.ts'
import { askQuestion, type Row } from './asking.ts'
import { fitModels } from './fitting.ts'
import { type BenchSet, questionsTo, readBenchSet } from './questions.ts'
import {
  fillTable,
  halvesTable,
  leaveOneOutTable,
  mentionedTable,
  neighbourShare,
  passagesTable,
  verdictTable,
} from './tables.ts'

interface Flags {
  limit: number
  budgets: number[]
  groups: QuestionGroup[]
  fit: boolean
  cache?: string
  rows?: string
}

const program = new Command('bench:confidence')
  .description(
    'how well answerable tells documents that answer from others, how well relevance is calibrated, and what fill: "relevant" saves',
  )
  .argument('<set...>', 'folders of golden sets; each is asked the questions of the next one, too')
  .option('--limit <n>', 'only so many questions of each set', count, 50)
  .option('--budgets <list>', 'token budgets', listOption(count), [1000, 4000])
  .option('--groups <list>', `the kinds of questions: ${GROUP_NAMES.join(', ')}`, listOption(groupNamed), [
    ...GROUP_NAMES,
  ])
  .option('--fit', 'print the weights, fitted on the training halves', false)
  .option('--cache <folder>', 'where ingested sets are kept; can be that of a replay')
  .option('--rows <file>', 'keep what was asked: sets whose rows are in the file are not asked again')
  .action(run)

function groupNamed(name: string): QuestionGroup {
  const group = GROUP_NAMES.find(known => known === name)
  if (group === undefined) {
    throw new InvalidArgumentError(`Expected one of ${GROUP_NAMES.join(', ')}, got ${JSON.stringify(name)}.`)
  }
  return group
}

async function run(folders: string[], { limit, budgets, groups, fit, cache, rows: file }: Flags): Promise<void> {
  const sets = await Promise.all(folders.map(readBenchSet))
  const rows = file === undefined ? [] : readRows(file)
  await ask(sets, { limit, budgets, groups, cache }, rows, row => {
    rows.push(row)
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(row)}\n`)
  })
  for (const signals of ['reranker', 'words'] as const) {
    print(`${signals}: fitted on the other sets`, leaveOneOutTable(rows, signals))
    print(`${signals}: test halves, fitted on the training halves`, halvesTable(rows, signals))
    print(`${signals}: verdicts of the shipped weights, test halves`, verdictTable(rows, signals))
    print(`${signals}: relevance of passages, test halves`, passagesTable(rows, signals))
    print(`${signals}: neighbours`, `${neighbourShare(rows, signals).toFixed(2)}\n`)
    print(
      `${signals}: passages whose document another names, by the relevance of that one`,
      mentionedTable(rows, signals),
    )
    const training = rows.filter(({ split }) => split === 'train')
    if (fit) print(`${signals}: weights`, `${JSON.stringify(fitModels(training, signals))}\n`)
  }
  print('fill', fillTable(rows))
}

interface Asking {
  limit: number
  budgets: number[]
  groups: readonly QuestionGroup[]
  /** Folder for ingested sets, which can be that of a replay. */
  cache: string | undefined
}

/** Asks every set that has no rows yet. A set is asked the questions of the next one, too. */
async function ask(
  sets: BenchSet[],
  { limit, budgets, groups, cache }: Asking,
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
      const questions = questionsTo(one, other, limit).filter(({ group }) => groups.includes(group))
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

await finish(program)

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Table from 'cli-table3'
import { Command } from 'commander'
import { loadConfig } from '../../../src/config.ts'
import type { PlanArm } from '../../../src/evaluation/arms/arm.ts'
import { parseNamedArm } from '../../../src/evaluation/arms/parse.ts'
import { type GoldenSet, readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { plainText } from '../../../src/evaluation/metrics/plain-text.ts'
import { createReplayDependencies } from '../../../src/evaluation/replay/run.ts'
import { CHUNK_DEFAULTS } from '../../../src/ingest/chunking/options.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { openModels } from '../../../src/wiring/models.ts'
import { replayWorld } from '../../../src/wiring/replay.ts'
import { count, finish, progressLine } from '../terminal.ts'
import { answerSentence, holds } from './answer-sentence.ts'

const BUDGETS = [100, 150, 200, 300]
/** Ranking on a busy machine takes longer, and must not change what is measured. */
const PATIENT = 'rerank.deadlineMs=60000'

interface Flags {
  plan: string
  limitQueries?: number
  cache?: string
}

const program = new Command('bench:small-budgets')
  .description(
    `how often the sentence that answers is in a context of ${BUDGETS.join(', ')} tokens, of the questions whose best chunk holds it`,
  )
  .argument('<set...>', 'folders of golden sets with written answers')
  .option('--plan <arm>', 'a plan with overrides, as for replay', 'measured')
  .option('--limit-queries <n>', 'only the first n queries of each set', count)
  .option('--cache <folder>', 'where ingested sets are kept; can be that of a replay')
  .action(run)

async function run(folders: string[], flags: Flags): Promise<void> {
  const sets = await Promise.all(folders.map(readGoldenSet))
  const arm = planArm(flags.plan)
  const models = await openModels(loadConfig())
  const cacheFolder = flags.cache ?? (await mkdtemp(join(tmpdir(), 'stowage-small-budgets-')))
  const table = new Table({
    head: ['set', 'questions', 'best chunk holds it', ...BUDGETS.map(budget => `${budget}, %`)],
    style: { head: [], border: [], compact: true },
  })
  try {
    for (const set of sets) table.push(await rowOf(set, arm, { models, cacheFolder, limit: flags.limitQueries }))
    process.stdout.write(`${table}\n`)
  } finally {
    await models.close()
    if (flags.cache === undefined) await rm(cacheFolder, { recursive: true, force: true })
  }
}

function planArm(text: string): PlanArm {
  const arm = parseNamedArm(`asked=${text}${text.includes(':') ? ',' : ':'}${PATIENT}`, NAMED_PLANS)
  if (arm.kind !== 'plan') throw new Error(`--plan: want a plan, got ${text}`)
  return arm
}

interface World {
  models: Awaited<ReturnType<typeof openModels>>
  cacheFolder: string
  limit: number | undefined
}

async function rowOf(
  set: GoldenSet,
  arm: PlanArm,
  { models, cacheFolder, limit }: World,
): Promise<(string | number)[]> {
  const places = { openLive: notAsked, contexts: notAsked, contextualTwins: new Map() }
  const { prepare } = createReplayDependencies(replayWorld(models, arm.plan.tokenizerModel, places))
  const job = { sets: [set], arms: [arm], budgets: BUDGETS, chunkTokens: CHUNK_DEFAULTS.targetTokens, cacheFolder }
  const asked = await prepare(set, { ...job, limitQueries: null, onProgress: () => {} })
  const questions = set.queries.slice(0, limit).flatMap(query => {
    const sentence = answerSentence(query)
    return sentence === null ? [] : [{ query, sentence }]
  })
  const progress = progressLine(process.stderr, `${set.name}: questions`)
  const found = BUDGETS.map(() => 0)
  let cases = 0
  try {
    for (const [at, { query, sentence }] of questions.entries()) {
      const runs = await asked.run(query, arm, BUDGETS)
      asked.forget?.(query)
      progress(at + 1, questions.length)
      if (!holds(runs[0]?.ranked?.[0]?.text ?? '', sentence)) continue
      cases++
      for (const [place, { context, format }] of runs.entries())
        if (holds(plainText(context, format), sentence)) found[place] = (found[place] ?? 0) + 1
    }
  } finally {
    await asked.close()
  }
  const shares = found.map(hits => (cases === 0 ? '–' : ((100 * hits) / cases).toFixed(1)))
  return [set.name, questions.length, cases, ...shares]
}

function notAsked(): never {
  throw new Error('this script reads plain chunks')
}

await finish(program)

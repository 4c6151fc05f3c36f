import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import type { PlanArm } from '../../evaluation/arms/arm.ts'
import type { NamedPlans } from '../../evaluation/arms/named-arms.ts'
import { NO_KEYS, readServerKeys } from '../../evaluation/arms/server/keys.ts'
import { withServerArms } from '../../evaluation/arms/server/server-arms.ts'
import { MEASURE_NAMES } from '../../evaluation/metrics/measures.ts'
import { type ReplayDependencies, replay } from '../../evaluation/replay/replay.ts'
import { CHUNK_DEFAULTS } from '../../ingest/chunking/chunk-markdown.ts'
import { collected, listOption, numberOption } from '../option-values.ts'
import { createProgress } from '../progress.ts'
import { type ReportOptions, refuseOtherBudget, writeHtmlReport } from './html-report.ts'
import { type ArmFlags, readComparison, readSets, refuseNoFolder, sortedBudgets } from './inputs.ts'
import { addLiveOptions, type LiveOptions, type OpenLiveCollection } from './live-sets.ts'
import { type OutputOptions, writeOutputs } from './outputs.ts'

export interface ReplayCommandDependencies {
  plans: () => NamedPlans
  /** Called after the command line is checked. */
  open: (where: { url?: string; apiKey?: string }) => Promise<ReplayDependencies<PlanArm> & { close(): Promise<void> }>
  openCollection: OpenLiveCollection
  out: NodeJS.WritableStream
  progress: NodeJS.WriteStream
}

interface ReplayFlags
  extends Omit<OutputOptions, 'against' | 'command'>,
    Omit<ArmFlags, 'collection'>,
    LiveOptions,
    ReportOptions {
  budgets: number[]
  serverKeys?: string
  chunkTokens: number
  limitQueries?: number
  parallel: number
  fresh: boolean
  cache: string
}

const EXAMPLES = `
Examples:
  $ stowage replay isharoth
  $ stowage replay isharoth --arms topk,measured,measured:reunification.expansion=0
  $ stowage replay isharoth --arms measured --arm tuned=./plans/tuned.json:packing.mode=sentence
  $ stowage replay isharoth --arm old=http://old:6433 --arm new=http://new:6433 --server-keys keys.json
  $ stowage replay ./my-set --budgets 500,1000 --json report.json
  $ stowage replay queries.jsonl --url http://127.0.0.1:6333 --collection docs`

/** Adds `stowage replay SET…`: measures golden sets under every arm and budget, and prints a table or JSON. */
export function addReplayCommand(program: Command, dependencies: ReplayCommandDependencies): void {
  const command = program
    .command('replay')
    .description('measure the answer recall of several plans (arms) at token budgets, on golden sets')
    .argument('<set...>', 'golden sets: names under goldens/, or paths')
    .option(
      '--budgets <tokens>',
      'token budgets, separated by commas',
      listOption(numberOption(1)),
      [250, 500, 1000, 2000, 4000],
    )
    .option(
      '--arms <arms>',
      'arms, separated by commas; an arm can override values of its plan (see the examples); default: baseline,topk,design,measured',
    )
    .option(
      '--arm <name=spec>',
      'one more arm, which is an arm with overrides, a plan file, or the URL of a running stowage; repeatable',
      collected,
      [],
    )
    .option('--server-keys <file>', 'keys for server arms: JSON such as {"tenant": "KEY", "*": "KEY"}')
    .option('--against <arm>', 'the arm that the others are compared with; default: topk, or else the first arm')
    .option('--chunk-tokens <tokens>', 'target size of the chunks', numberOption(1), CHUNK_DEFAULTS.targetTokens)
    .option('--limit-queries <n>', 'use only n queries of each set, at even distances', numberOption(1))
    .option('--parallel <n>', 'queries in flight; 1 for clean latencies', numberOption(1), availableParallelism())
    .option('--fresh', 'do not resume a replay that was interrupted', false)
    .addOption(new Option('--measure <name>', 'the measure of the main table').choices(MEASURE_NAMES).default('recall'))
    .addOption(
      new Option('--by <field>', 'print the main table of each intent or grade too').choices(['intent', 'grade']),
    )
    .option('--json <file>', 'write the summary and the figures of every query to this file')
    .option('--markdown <file>', 'write a summary for pull requests to this file')
    .option(
      '--report <file>',
      'write a report as one HTML file, with curves, wins and losses, and the trace of each candidate',
    )
    .option(
      '--report-budget <tokens>',
      'the budget whose contexts and traces the report keeps; default: the middle one',
      numberOption(1),
    )
    .option('--cache <folder>', 'folder for ingested sets', join('.stowage', 'replay'))
    .addHelpText('after', EXAMPLES)
  addLiveOptions(command).action((names: string[], flags: ReplayFlags) => {
    const typed = { command: typedCommand(program), version: program.version() ?? null }
    return runReplay(names, flags, typed, dependencies)
  })
}

/** What was typed after `stowage`, without the marks of a shell, and without a key, because it is written into reports. */
function typedCommand(program: Command): string {
  return ['npx stowage', ...program.args].join(' ').replace(/(--api-key[= ])\S+/u, '$1…')
}

async function runReplay(
  names: string[],
  flags: ReplayFlags,
  typed: { command: string; version: string | null },
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { command } = typed
  const { chunkTokens, limitQueries = null, cache: cacheFolder } = flags
  const { arms, against } = readComparison(flags, dependencies.plans())
  refuseNoFolder('--json', flags.json)
  refuseNoFolder('--report', flags.report)
  const keyOf = flags.serverKeys === undefined ? NO_KEYS : await readServerKeys(flags.serverKeys)
  refuseNoFolder('--markdown', flags.markdown)
  const sets = await readSets(names, flags, arms, dependencies.openCollection)
  const budgets = sortedBudgets(flags.budgets)
  refuseOtherBudget(flags, budgets)
  const { url, apiKey } = flags
  const opened = await dependencies.open({ ...(url && { url }), ...(apiKey && { apiKey }) })
  const progress = createProgress(dependencies.progress)
  try {
    const job = {
      ...{ sets, arms, budgets, chunkTokens, cacheFolder, limitQueries, parallel: flags.parallel, fresh: flags.fresh },
      details: flags.report !== undefined,
      onProgress: progress.show,
      onResume: (set: string, done: number, total: number) =>
        progress.note(`resuming: ${done} of ${total} queries of ${set} are done (--fresh starts anew)`),
    }
    await replay(job, withServerArms(opened, { keyOf }), async (report, details) => {
      progress.stop()
      await writeOutputs(report, { ...flags, against, command }, dependencies.out)
      const made = { against, command, version: typed.version }
      await writeHtmlReport(flags, { report, details, sets, ...made })
    })
  } finally {
    progress.stop()
    await opened.close()
  }
}

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Command, Option } from 'commander'
import { StowageError } from '../../core/errors.ts'
import { RULE_NAMES, type RuleName } from '../../evaluation/ablation/rules.ts'
import type { NamedPlans } from '../../evaluation/arms/named-arms.ts'
import { MEASURE_NAMES } from '../../evaluation/metrics/measures.ts'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { CHUNK_DEFAULTS } from '../../ingest/chunking/chunk-markdown.ts'
import { collected, listOption, numberOption } from '../option-values.ts'
import { prepareAblation, ruleOption, writeAblation } from './ablate.ts'
import { runGate } from './gate.ts'
import { type ArmFlags, readComparison, readPlanArm, readSets, refuseNoFolder, sortedBudgets } from './inputs.ts'
import { type OutputOptions, writeOutputs } from './outputs.ts'
import { inReplay, type SessionDependencies, type SessionFlags } from './session.ts'

export interface ReplayCommandDependencies extends SessionDependencies {
  plans: () => NamedPlans
  out: NodeJS.WritableStream
}

interface ReplayFlags extends Omit<OutputOptions, 'against' | 'command'>, ArmFlags, SessionFlags {
  budgets?: number[]
  chunkTokens?: number
  gate?: string
  updateBaseline?: string
  ablate?: string | true
  rules: RuleName[]
}

const DEFAULT_BUDGETS = [250, 500, 1000, 2000, 4000]

const EXAMPLES = `
Examples:
  $ stowage replay isharoth
  $ stowage replay isharoth --arms topk,measured,measured:reunification.expansion=0
  $ stowage replay isharoth --arms measured --arm tuned=./plans/tuned.json:packing.mode=sentence
  $ stowage replay isharoth --arm old=http://old:6433 --arm new=http://new:6433 --server-keys keys.json
  $ stowage replay ./my-set --budgets 500,1000 --json report.json
  $ stowage replay isharoth --ablate measured --budgets 500,1000,2000
  $ stowage replay --gate goldens/baseline.json`

/** Adds `stowage replay SET…`: measures golden sets under every arm and budget, and prints a table or JSON. */
export function addReplayCommand(program: Command, dependencies: ReplayCommandDependencies): void {
  program
    .command('replay')
    .description('measure the answer recall of several plans (arms) at token budgets, on golden sets')
    .argument('[set...]', 'golden sets: names under goldens/, or paths')
    .option(
      '--budgets <tokens>',
      `token budgets, separated by commas; default: ${DEFAULT_BUDGETS.join(',')}`,
      listOption(numberOption(1)),
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
    .option('--collection <name>', 'the collection that server arms ask; default: the name of the set')
    .option('--server-keys <file>', 'keys for server arms: JSON such as {"tenant": "KEY", "*": "KEY"}')
    .option('--against <arm>', 'the arm that the others are compared with; default: topk, or else the first arm')
    .option(
      '--chunk-tokens <tokens>',
      `target size of the chunks; default: ${CHUNK_DEFAULTS.targetTokens}`,
      numberOption(1),
    )
    .option('--limit-queries <n>', 'use only n queries of each set, at even distances', numberOption(1))
    .option('--parallel <n>', 'queries in flight; 1 for clean latencies', numberOption(1), availableParallelism())
    .option('--fresh', 'do not resume a replay that was interrupted', false)
    .addOption(new Option('--measure <name>', 'the measure of the main table').choices(MEASURE_NAMES).default('recall'))
    .addOption(
      new Option('--by <field>', 'print the main table of each intent or grade too').choices(['intent', 'grade']),
    )
    .option('--ablate [arm]', 'switch each rule of this plan off alone and on alone; default: measured')
    .option('--rules <rules>', 'the rules that --ablate switches; default: all', listOption(ruleOption), RULE_NAMES)
    .option('--gate <baseline>', 'fail when a measure is worse than in this file; sets, arm and budgets come from it')
    .option('--update-baseline <baseline>', 'write the figures of now to this file, for --gate')
    .option('--json <file>', 'write the summary and the figures of every query to this file')
    .option('--markdown <file>', 'write a summary for pull requests to this file')
    .option('--cache <folder>', 'folder for ingested sets', join('.stowage', 'replay'))
    .addHelpText('after', EXAMPLES)
    .action((names: string[], flags: ReplayFlags) => runReplay(names, flags, typedCommand(program), dependencies))
}

/** What was typed after `stowage`, without the marks of a shell. */
function typedCommand(program: Command): string {
  return ['npx stowage', ...program.args].join(' ')
}

async function runReplay(
  names: string[],
  flags: ReplayFlags,
  command: string,
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  for (const option of ['json', 'markdown'] as const) refuseNoFolder(`--${option}`, flags[option])
  const { out, plans } = dependencies
  const { measure, rules, chunkTokens = CHUNK_DEFAULTS.targetTokens } = flags
  if (flags.gate !== undefined || flags.updateBaseline !== undefined)
    return runGate(names, { ...flags, command }, CHUNK_DEFAULTS.targetTokens, dependencies)
  if (names.length === 0) throw new StowageError('bad_request', "missing required argument 'set'")
  const budgets = sortedBudgets(flags.budgets ?? DEFAULT_BUDGETS)
  if (flags.ablate) {
    const arm = readPlanArm(flags.ablate === true ? 'measured' : flags.ablate, plans())
    const sets = await readSets(names)
    await inReplay(flags, dependencies, reranker => {
      const { arms, read } = prepareAblation(arm, rules, { measure, reranker })
      const use = async (report: ReplayReport) => writeAblation(report, read(report), { ...flags, command }, out)
      return { sets, arms, budgets, chunkTokens, use }
    })
    return
  }
  const { arms, against } = readComparison(flags, plans())
  const sets = await readSets(names)
  const use = (report: ReplayReport) => writeOutputs(report, { ...flags, against, command }, out)
  await inReplay(flags, dependencies, () => ({ sets, arms, budgets, chunkTokens, use }))
}

import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { WRITER_KINDS } from '../../contexts/context.ts'
import { CHUNKINGS } from '../../core/types.ts'
import { RULE_NAMES, type RuleName } from '../../evaluation/ablation/rules.ts'
import { MEASURE_NAMES } from '../../evaluation/metrics/measures.ts'
import { defaultTargetTokens } from '../../ingest/chunking/options.ts'
import { collected, listOption, numberOption, pathOption } from '../option-values.ts'
import { REPLAY_BUDGETS } from './budgets.ts'
import { addLiveOptions } from './live-collection.ts'
import type { ReplayFlags, ReplayOption } from './read-options.ts'
import type { ReplayCommandDependencies } from './session.ts'
import { addTuneOptions } from './tune-options.ts'

type ReplayOptions = Pick<ReplayFlags, ReplayOption>

const ASKED = 'ask this collection, also of server arms; a set needs no corpus then'

const EXAMPLES = `
Examples:
  $ stowage replay isharoth
  $ stowage replay isharoth --arms topk,measured,measured:reunification.expansion=0
  $ stowage replay isharoth --arms measured --arm tuned=./plans/tuned.json:packing.mode=sentence
  $ stowage replay isharoth --arm old=http://old:6433 --arm new=http://new:6433 --server-keys keys.json
  $ stowage replay ./my-set --budgets 500,1000 --json report.json
  $ stowage replay queries.jsonl --url http://127.0.0.1:6333 --collection docs
  $ stowage replay isharoth --report report.html
  $ stowage replay isharoth --arms topk,measured --explain
  $ stowage replay isharoth --arms measured,measured:retrieval.contextual=true --context rules
  $ stowage replay isharoth --ablate measured --budgets 500,1000,2000
  $ stowage replay ./my-set --verdicts --json verdicts.json
  $ stowage replay --gate goldens/baseline.json
  $ stowage replay ./my-set --tune --trials 48 --write ./plans/tuned.json
  $ STOWAGE_PLAN=./plans/tuned.json stowage serve`

/** Adds `stowage replay SET…`: measures golden sets under every arm and budget, and prints a table or JSON. */
export function addReplayCommand(program: Command, dependencies: ReplayCommandDependencies): void {
  const command = program
    .command('replay')
    .description('measure the answer recall of several plans (arms) at token budgets, on golden sets')
    .argument('[set...]', 'golden sets: names under goldens/, or paths')
    .option(
      '--budgets <tokens>',
      `token budgets, separated by commas; default: ${REPLAY_BUDGETS.join(',')}`,
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
    .option('--server-keys <file>', 'keys for server arms: JSON such as {"tenant": "KEY", "*": "KEY"}', pathOption)
    .option('--against <arm>', 'the arm that the others are compared with; default: topk, or else the first arm')
    .option(
      '--chunk-tokens <tokens>',
      `target size of the chunks; default: ${defaultTargetTokens()}, or ${defaultTargetTokens('parent-child')} for parent-child`,
      numberOption(1),
    )
    .addOption(
      new Option(
        '--context <writer>',
        'who writes the contexts of chunks for arms with retrieval.contextual=true; default: rules',
      ).choices(WRITER_KINDS),
    )
    .addOption(
      new Option('--chunking <way>', 'how the documents of a set are cut').choices(CHUNKINGS).default('sections'),
    )
    .option('--limit-queries <n>', 'use only n queries of each set, at even distances', numberOption(1))
    .option('--parallel <n>', 'queries in flight; 1 for clean latencies', numberOption(1), 2 * availableParallelism())
    .option('--fresh', 'do not resume a replay that was interrupted', false)
    .addOption(new Option('--measure <name>', 'the measure of the main table').choices(MEASURE_NAMES).default('recall'))
    .addOption(
      new Option('--by <field>', 'print the main table of each intent or grade too').choices(['intent', 'grade']),
    )
    .option('--explain', 'tell at which step each arm loses answer recall, and the questions that lose the most', false)
    .option('--ablate [arm]', 'switch each rule of this plan off alone and on alone; default: measured')
    .option(
      '--rules <rules>',
      `the rules that --ablate switches, separated by commas; default: all (${RULE_NAMES.join(', ')})`,
      listOption(ruleOption),
      RULE_NAMES,
    )
    .option(
      '--verdicts',
      'measure how often answerable is right, on questions with and without an answer, and suggest its thresholds',
      false,
    )
    .option(
      '--gate <baseline>',
      'fail when a measure is worse than in this file; sets, arm and budgets come from it',
      pathOption,
    )
    .option('--update-baseline <baseline>', 'write the figures of now to this file, for --gate', pathOption)
    .option(
      '--judge',
      'ask the language model JUDGE_MODEL for faithfulness and answer relevance: three calls a run',
      false,
    )
    .option('--judge-budget <tokens>', 'the budget whose contexts are judged; default: the middle one', numberOption(1))
    .option('--json <file>', 'write the summary and the figures of every query to this file', pathOption)
    .option('--markdown <file>', 'write a summary for pull requests to this file', pathOption)
    .option(
      '--report <file>',
      'write a report as one HTML file, with curves, wins and losses, and the trace of each candidate',
      pathOption,
    )
    .option(
      '--report-budget <tokens>',
      'the budget whose contexts and traces the report keeps; default: the middle one',
      numberOption(1),
    )
    .option('--cache <folder>', 'folder for ingested sets', pathOption, join('.stowage', 'replay'))
    .addHelpText('after', EXAMPLES)
  addLiveOptions(addTuneOptions(command), ASKED).action(async (names: string[], flags: ReplayOptions) => {
    // Measures, statistics and reports are many modules: no other command shall wait for them.
    const { runReplay } = await import('./run.ts')
    const typed = { command: typedCommand(program), version: program.version() ?? null }
    const given = (Object.keys(flags) as (keyof ReplayOptions)[]).filter(
      name => command.getOptionValueSource(name) === 'cli',
    )
    await runReplay(names, { ...flags, ...typed, given }, dependencies)
  })
}

/** What was typed after `stowage`, without the marks of a shell, and without a key, because it is written into reports. */
function typedCommand(program: Command): string {
  return ['npx stowage', ...program.args].join(' ').replace(/(--api-key[= ])\S+/u, '$1…')
}

/** Parses a name of `--rules`. */
function ruleOption(text: string): RuleName {
  const rule = RULE_NAMES.find(name => name === text)
  if (rule) return rule
  throw new InvalidArgumentError(`No rule is called ${JSON.stringify(text)}; there are: ${RULE_NAMES.join(', ')}.`)
}

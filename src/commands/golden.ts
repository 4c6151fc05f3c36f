import type { Command } from 'commander'
import { TRAIN_SHARE } from '../evaluation/golden-set/split.ts'
import type { AddFlags, GoldenAddDependencies } from './golden/add.ts'
import type { CheckFlags, GoldenCheckDependencies } from './golden/check.ts'
import { numberOption, pathOption } from './option-values.ts'
import { addLiveOptions } from './replay/live-collection.ts'

const EXAMPLES = `
Examples:
  $ stowage golden check isharoth
  $ stowage golden add --traces traces.jsonl --into goldens/mine`

const CHECK_EXAMPLES = `
Exit code: 0 no errors (there may be warnings), 1 errors, or the collection cannot be read, 2 wrong use.

Examples:
  $ stowage golden check isharoth
  $ stowage golden check ./queries.jsonl --url http://127.0.0.1:6333 --collection docs
  $ stowage golden check --train ./tuning --test ./held-out --json`

const ADD_EXAMPLES = `
Every answer is written at once: end with q or Ctrl-C whenever you like, and go on later.

Examples:
  $ stowage golden add --traces traces.jsonl --into goldens/mine
  $ stowage golden add --traces traces.jsonl --into goldens/mine --sample 50 --url http://127.0.0.1:6333 --collection docs`

const LOOKED_UP = 'look the gold passages up in this collection; a set needs no corpus then'
const MARKED =
  'mark the questions that were asked of this collection (default: that of the traces, when it is only one)'

/** Adds `stowage golden`: checks golden sets, and makes them from traces. */
export function addGoldenCommand(
  program: Command,
  dependencies: GoldenCheckDependencies & GoldenAddDependencies,
): void {
  const golden = program
    .command('golden')
    .description('check golden sets, and make them from traces')
    .addHelpText('after', EXAMPLES)
  addGoldenCheck(golden, dependencies)
  addGoldenAdd(golden, dependencies)
}

/** Adds `stowage golden check SET…`. */
function addGoldenCheck(golden: Command, dependencies: GoldenCheckDependencies): void {
  const command = golden
    .command('check')
    .description(
      'find golds that no longer exist, questions that are asked twice, leaks between train and test, and more',
    )
    .argument('[set...]', 'golden sets: names under goldens/, or paths')
    .option('--train <set>', 'a set for training; with --test: nothing of it may be in that set')
    .option('--test <set>', 'a set for testing')
    .option(
      '--train-share <share>',
      'share of the queries that replay --tune searches on: leaks are looked for between these halves',
      numberOption(0.05, 0.95, { whole: false }),
      TRAIN_SHARE,
    )
    .option('--budget <tokens>', 'the largest budget of your replays', numberOption(1), 4000)
    .option('--json', 'print {"ok": …, "findings": [...]}')
    .addHelpText('after', CHECK_EXAMPLES)
  addLiveOptions(command, LOOKED_UP).action(async (sets: string[], flags: CheckFlags) => {
    const { runCheck } = await import('./golden/check.ts')
    await runCheck(sets, flags, dependencies)
  })
}

function addGoldenAdd(golden: Command, dependencies: GoldenAddDependencies): void {
  const command = golden
    .command('add')
    .description(
      'turn traces into golden queries: shows each question with its passages, and you mark the ones that answer',
    )
    .requiredOption('--traces <file...>', 'files of TRACE_FILE; their rotated files (FILE.1, FILE.2, …) are read too')
    .requiredOption('--into <folder>', 'folder whose queries.jsonl and unanswerable.jsonl grow', pathOption)
    .option('--sample <n>', 'questions to show, from all intents in turn', numberOption(1), 25)
    .option('--seed <n>', 'another seed samples other questions', numberOption(0), 1)
    .addHelpText('after', ADD_EXAMPLES)
  addLiveOptions(command, MARKED).action(async (flags: AddFlags) => {
    const { runAdd } = await import('./golden/add.ts')
    await runAdd(flags, dependencies)
  })
}

import type { Command } from 'commander'
import { TRAIN_SHARE } from '../../evaluation/golden-set/split.ts'
import { listOption, nonEmpty, numberOption, pathOption } from '../option-values.ts'

export interface TuneFlags {
  tune: boolean
  trials: number
  seed: number
  tuneValues?: string[]
  trainShare: number
  write?: string
  force: boolean
}

export function addTuneOptions(command: Command): Command {
  return command
    .option('--tune', 'search for better plan values on a part of the queries, and judge them on the others', false)
    .option('--trials <n>', 'plans that --tune tries', numberOption(1, 10_000), 48)
    .option('--seed <n>', 'seed of --tune: equal seeds try equal plans', numberOption(0), 1)
    .option(
      '--tune-values <paths>',
      'plan values that --tune changes, separated by commas; default: all that it can',
      listOption(nonEmpty),
    )
    .option(
      '--train-share <share>',
      'share of the queries that --tune searches on',
      numberOption(0.05, 0.95, { whole: false }),
      TRAIN_SHARE,
    )
    .option(
      '--write <file>',
      'write the plan of --tune to this file when the other queries show that it is better',
      pathOption,
    )
    .option('--force', 'replace the file of --write', false)
}

import type { Command } from 'commander'
import { addGoldenAdd, type GoldenAddDependencies } from './golden/add.ts'
import { addGoldenCheck, type GoldenCheckDependencies } from './golden/check.ts'

const EXAMPLES = `
Examples:
  $ stowage golden check isharoth
  $ stowage golden add --traces traces.jsonl --into goldens/mine`

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

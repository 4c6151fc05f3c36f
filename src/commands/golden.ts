import type { Command } from 'commander'
import { addGoldenCheck, type GoldenCheckDependencies } from './golden/check.ts'

/** Adds `stowage golden`: checks golden sets, and makes them from traces. */
export function addGoldenCommand(program: Command, dependencies: GoldenCheckDependencies): void {
  const golden = program.command('golden').description('check golden sets, and make them from traces')
  addGoldenCheck(golden, dependencies)
}

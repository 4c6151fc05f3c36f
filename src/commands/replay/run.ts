import { StowageError } from '../../core/errors.ts'
import type { RuleName } from '../../evaluation/ablation/rules.ts'
import type { NamedPlans } from '../../evaluation/arms/named-arms.ts'
import { CHUNK_DEFAULTS } from '../../ingest/chunking/chunk-options.ts'
import { ablate } from './ablate.ts'
import { REPLAY_BUDGETS } from './default-budgets.ts'
import { runGate } from './gate.ts'
import { type ReportOptions, refuseOtherBudget, writeHtmlReport } from './html-report.ts'
import { type ArmFlags, readComparison, readSets, refuseNoFolder, sortedBudgets } from './inputs.ts'
import { type OutputOptions, writeOutputs } from './outputs.ts'
import { inReplay, type SessionDependencies, type SessionFlags } from './session.ts'
import { runTune } from './tune.ts'
import type { TuneFlags } from './tune-options.ts'

export interface ReplayCommandDependencies extends SessionDependencies {
  plans: () => NamedPlans
  out: NodeJS.WritableStream
}

export interface ReplayFlags
  extends Omit<OutputOptions, 'against' | 'command'>,
    ReportOptions,
    Omit<ArmFlags, 'collection'>,
    SessionFlags,
    TuneFlags {
  budgets?: number[]
  chunkTokens?: number
  gate?: string
  updateBaseline?: string
  command: string
  version: string | null
  ablate?: string | true
  rules: RuleName[]
}

/** Does what the options of `stowage replay` ask for. @throws StowageError `bad_request` */
export async function runReplay(
  names: string[],
  flags: ReplayFlags,
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { gate, updateBaseline, chunkTokens = CHUNK_DEFAULTS.targetTokens } = flags
  for (const option of ['json', 'markdown', 'report'] as const) refuseNoFolder(`--${option}`, flags[option])
  if (gate !== undefined || updateBaseline !== undefined)
    return runGate(names, flags, CHUNK_DEFAULTS.targetTokens, dependencies)
  if (names.length === 0) throw new StowageError('bad_request', "missing required argument 'set'")
  if (flags.tune) return runTune(names, { ...flags, chunkTokens }, dependencies)
  const budgets = sortedBudgets(flags.budgets ?? REPLAY_BUDGETS)
  refuseOtherBudget(flags, budgets)
  if (flags.ablate) return ablate(names, { ...flags, ablate: flags.ablate, budgets, chunkTokens }, dependencies)
  return compare(names, { ...flags, budgets, chunkTokens }, dependencies)
}

/** Compares arms, which is what a replay does when it is told nothing else. */
async function compare(
  names: string[],
  flags: ReplayFlags & { budgets: number[]; chunkTokens: number },
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { budgets, chunkTokens, command, version } = flags
  const { arms, against } = readComparison(flags, dependencies.plans())
  const sets = await readSets(names, flags, arms, dependencies.openCollection)
  await inReplay(flags, dependencies, () => ({
    ...{ sets, arms, budgets, chunkTokens, details: flags.report !== undefined },
    use: async (report, details) => {
      await writeOutputs(report, { ...flags, against }, dependencies.out)
      await writeHtmlReport(flags, { report, details, sets, against, command, version }, dependencies.progress)
    },
  }))
}

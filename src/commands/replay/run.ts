import { badRequest } from '../../core/errors.ts'
import { JUDGED } from '../../evaluation/judge/judge.ts'
import { defaultTargetTokens } from '../../ingest/chunking/options.ts'
import { ablate } from './ablate.ts'
import { REPLAY_BUDGETS, refuseOtherBudget, sortedBudgets } from './budgets.ts'
import { runGate } from './gate.ts'
import { writeHtmlReport } from './html-report.ts'
import { readComparison, readSets, refuseNoFolder } from './inputs.ts'
import { writeOutputs } from './outputs.ts'
import { type ReplayFlags, type ReplayMode, readMode } from './read-options.ts'
import { inReplay, type ReplayCommandDependencies } from './session.ts'
import { runTune } from './tune.ts'
import { runVerdicts } from './verdicts.ts'

/** Does what the options of `stowage replay` ask for. @throws StowageError `bad_request` */
export async function runReplay(
  names: string[],
  flags: ReplayFlags,
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const mode = readMode(flags)
  const { chunking, chunkTokens = defaultTargetTokens(chunking) } = flags
  for (const option of ['json', 'markdown', 'report'] as const) refuseNoFolder(`--${option}`, flags[option])
  refuseUnjudged(flags, mode)
  if (mode === 'gate' || mode === 'updateBaseline') return runGate(names, flags, dependencies)
  if (names.length === 0) throw badRequest("missing required argument 'set'")
  if (mode === 'verdicts') return runVerdicts(names, { ...flags, chunkTokens }, dependencies)
  if (mode === 'tune') return runTune(names, { ...flags, chunkTokens }, dependencies)
  const budgets = sortedBudgets(flags.budgets ?? REPLAY_BUDGETS)
  refuseOtherBudget('--report-budget', flags.reportBudget, budgets)
  if (flags.ablate) return ablate(names, { ...flags, ablate: flags.ablate, budgets, chunkTokens }, dependencies)
  return compare(names, { ...flags, budgets, chunkTokens }, dependencies)
}

/** A measure that nobody gives would make a table without figures, or a search that finds nothing. @throws StowageError `bad_request` */
function refuseUnjudged({ measure, judge }: ReplayFlags, mode: ReplayMode): void {
  if (judge || !JUDGED.has(measure)) return
  const reason = mode === 'tune' ? 'comes from a judge, which --tune does not ask' : 'needs --judge'
  throw badRequest(`--measure ${measure} ${reason}`)
}

/** Compares arms, which is what a replay does when it is told nothing else. */
async function compare(
  names: string[],
  flags: ReplayFlags & { budgets: number[]; chunkTokens: number },
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { budgets, chunkTokens, chunking, command, version, explain } = flags
  const { arms, against } = readComparison(flags, dependencies.plans())
  if (explain && arms.every(({ kind }) => kind === 'server'))
    throw badRequest('--explain needs an arm that runs in this process: a server does not tell all its candidates')
  const sets = await readSets(names, flags, arms, dependencies)
  await inReplay(flags, dependencies, () => ({
    ...{ sets, arms, budgets, chunkTokens, chunking, details: flags.report !== undefined, explain },
    use: async (report, details) => {
      await writeOutputs(report, sets, { ...flags, against }, dependencies.out)
      await writeHtmlReport(flags, { report, details, sets, against, command, version }, dependencies.progress)
    },
  }))
}

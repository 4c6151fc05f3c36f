import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { badRequest } from '../../core/errors.ts'
import { unknownName } from '../../core/schema-faults.ts'
import type { Chunking } from '../../core/types.ts'
import type { NamedPlans } from '../../evaluation/arms/named-arms.ts'
import type { MeasureName } from '../../evaluation/metrics/measures.ts'
import { planFileText } from '../../evaluation/tuning/plan-file.ts'
import { isProven, tuneText } from '../../evaluation/tuning/report.ts'
import { TUNED_VALUES } from '../../evaluation/tuning/space.ts'
import { type TuneJob, tune } from '../../evaluation/tuning/tune.ts'
import { sortedBudgets, TUNE_BUDGETS } from './budgets.ts'
import { type ArmFlags, readOnePlan, readSets, refuseNoFolder } from './inputs.ts'
import { inSession, type ReplayCommandDependencies, type SessionFlags } from './session.ts'
import type { TuneFlags } from './tune-options.ts'

/** Checks the options of `--tune` before any work is done for it. @throws StowageError `bad_request` */
function readTuning(
  flags: TuneFlags & ArmFlags,
  plans: NamedPlans,
): Pick<TuneJob, 'start' | 'values' | 'trials' | 'seed' | 'trainShare'> {
  const { trials, seed, trainShare, write, force } = flags
  const values = flags.tuneValues ?? Object.keys(TUNED_VALUES)
  const unknown = values.find(path => !Object.hasOwn(TUNED_VALUES, path))
  if (unknown !== undefined)
    throw badRequest(`--tune-values: ${unknownName(unknown, 'value', Object.keys(TUNED_VALUES))}`)
  refuseNoFolder('--write', write)
  if (write !== undefined && !force && existsSync(write))
    throw badRequest(`--write ${write}: is there already; --force replaces it`)
  return { start: readOnePlan(flags, 'measured', plans), values: [...new Set(values)], trials, seed, trainShare }
}

/**
 * Tunes, prints the report, and writes the plan file. A plan that the held-out queries do not prove is printed but not written: a file that
 * is there gets used.
 * @throws StowageError `bad_request`
 */
export async function runTune(
  names: readonly string[],
  flags: TuneFlags &
    ArmFlags &
    SessionFlags & { budgets?: number[]; chunkTokens: number; chunking: Chunking; measure: MeasureName },
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { budgets = TUNE_BUDGETS, chunkTokens, chunking, measure, write } = flags
  const { out, plans } = dependencies
  const tuning = readTuning(flags, plans())
  const sets = await readSets(names, flags, [tuning.start], dependencies)
  await inSession(flags, dependencies, async session => {
    const job = {
      ...tuning,
      ...session.settings,
      sets,
      measure,
      budgets: sortedBudgets(budgets),
      chunkTokens,
      chunking,
    }
    const report = await tune(job, session.dependencies)
    session.progress.stop()
    out.write(tuneText(report))
    if (write === undefined || report.best === null) return
    if (!isProven(report)) {
      out.write(`${write} is not written: the improvement is not proven. The plan stands above.\n`)
      return
    }
    await writeFile(write, planFileText(report.best.plan))
    out.write(`${write} is written; STOWAGE_PLAN=${write} uses it.\n`)
  })
}

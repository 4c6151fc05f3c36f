import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { isPlanFile } from '../../config/plan-file.ts'
import { badRequest } from '../../core/errors.ts'
import { isNamedArm } from '../../evaluation/arms/named-arms.ts'
import { type Baseline, baselineOf, parseBaseline, printBaseline } from '../../evaluation/gate/baseline.ts'
import { judge } from '../../evaluation/gate/judge.ts'
import { refuseOtherSetup } from '../../evaluation/gate/setup.ts'
import { gateMarkdown } from '../../evaluation/report/gate/markdown.ts'
import { gateText, verdictText } from '../../evaluation/report/gate/text.ts'
import { CHUNK_DEFAULTS } from '../../ingest/chunking/options.ts'
import { GATE_BUDGETS, sortedBudgets } from './budgets.ts'
import { type ArmFlags, readOnePlan, readSets, refuseNoFolder } from './inputs.ts'
import type { OutputOptions } from './outputs.ts'
import { inReplay, type ReplayCommandDependencies, type SessionFlags } from './session.ts'

interface GateFlags extends SessionFlags, ArmFlags, Pick<OutputOptions, 'json' | 'markdown' | 'command'> {
  gate?: string
  updateBaseline?: string
  /** As on the command line; absent values are those of the baseline. */
  budgets?: number[]
  chunkTokens?: number
}

/**
 * Replays the setup of a baseline and fails when a measure is worse; or writes a new baseline. Sets, arm and budgets come from the baseline;
 * those of the command line come first.
 * @throws Error when the gate fails; StowageError `bad_request` for a setup that differs from that of the baseline
 */
export async function runGate(
  names: readonly string[],
  flags: GateFlags,
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { gate, updateBaseline } = flags
  const file = gate ?? updateBaseline ?? ''
  refuseNoFolder('--update-baseline', updateBaseline)
  const known = existsSync(file) ? parseBaseline(await readFile(file, 'utf8'), file) : null
  if (known === null && gate !== undefined)
    throw badRequest(`--gate ${file}: there is no such file; --update-baseline makes it`)
  const paths = names.length > 0 ? names : (known?.sets.map(({ path }) => path) ?? [])
  if (paths.length === 0) throw badRequest(`--update-baseline ${file}: name the golden sets of the first baseline`)
  const { out, plans } = dependencies
  if (known !== null) refuseMissingArm(flags, known.arm, file)
  const arms = [readOnePlan(flags, known?.arm ?? 'measured', plans())]
  const wanted = {
    arms,
    budgets: sortedBudgets(flags.budgets ?? known?.budgets ?? GATE_BUDGETS),
    chunkTokens: flags.chunkTokens ?? known?.chunkTokens ?? CHUNK_DEFAULTS.targetTokens,
    sets: await readSets(paths, flags, arms, dependencies),
  }
  await inReplay(flags, dependencies, models => {
    if (gate !== undefined && known !== null) refuseOtherSetup(known, wanted, models, gate)
    return {
      ...wanted,
      use: async report => {
        if (gate !== undefined && known !== null) return writeVerdict(known, report, gate, flags, out)
        await writeFile(file, printBaseline(baselineOf(report, paths)))
        out.write(`baseline ${file}: ${report.sets.reduce((sum, { queries }) => sum + queries.length, 0)} queries\n`)
      },
    }
  })
}

/** The names that `--arm` can give an arm. Those of other arms have overrides. */
const GIVEN_NAME = /^[^=:,\s]+$/u

/** A baseline keeps the name of an arm that `--arm` gave, and not what it was. */
function refuseMissingArm({ arms, arm: named }: ArmFlags, known: string, file: string): void {
  const isGiven = Boolean(arms) || named.length > 0
  if (isGiven || !GIVEN_NAME.test(known) || isNamedArm(known) || isPlanFile(known)) return
  throw badRequest(
    `baseline ${file} was made with --arm ${known}=…, and does not keep its plan: give the same --arm ${known}=…`,
  )
}

async function writeVerdict(
  baseline: Baseline,
  report: Parameters<typeof judge>[1],
  file: string,
  { json, markdown, command }: GateFlags,
  out: NodeJS.WritableStream,
): Promise<void> {
  const result = judge(baseline, report)
  out.write(gateText(result, file))
  if (json) await writeFile(json, `${JSON.stringify({ ...report, gate: result })}\n`)
  if (markdown) await writeFile(markdown, gateMarkdown(result, file, command))
  if (!result.passed) throw new Error(verdictText(result, file))
}

import { writeFile } from 'node:fs/promises'
import type { Chunking } from '../../core/types.ts'
import { type AblationReport, effectsOf, type SkippedRule } from '../../evaluation/ablation/ablation.ts'
import { type AblationArms, ablationArms } from '../../evaluation/ablation/arms.ts'
import { armsByEffect } from '../../evaluation/ablation/arms-by-effect.ts'
import { RULES, type Rule, type RuleName } from '../../evaluation/ablation/rules.ts'
import type { PlanArm } from '../../evaluation/arms/arm.ts'
import type { MeasureName } from '../../evaluation/metrics/measures.ts'
import type { ReplayReport } from '../../evaluation/replay/results.ts'
import { ablationMarkdown } from '../../evaluation/report/ablation/markdown.ts'
import { ablationText } from '../../evaluation/report/ablation/text.ts'
import { BOOTSTRAP_DEFAULTS } from '../../statistics/bootstrap.ts'
import { type ReportOptions, writeHtmlReport } from './html-report.ts'
import { readOnePlan, readSets } from './inputs.ts'
import type { OutputOptions } from './outputs.ts'
import { inReplay, type ReplayCommandDependencies, type SessionFlags } from './session.ts'

/** An ablation that is ready to run: its arms, and the reading of the report of their replay. */
interface PreparedAblation extends AblationArms {
  read(report: ReplayReport): AblationReport
}

/** Prepares the ablation of an arm. Rules that need a reranker are skipped without one. */
export function prepareAblation(
  arm: PlanArm,
  rules: readonly RuleName[],
  { measure, reranker }: { measure: MeasureName; reranker: string | null },
): PreparedAblation {
  const skipped = rules.flatMap((rule): SkippedRule[] => {
    const { needsReranker }: Rule = RULES[rule]
    return needsReranker && reranker === null ? [{ rule, reason: 'no reranker is loaded' }] : []
  })
  const run = rules.filter(rule => !skipped.some(one => one.rule === rule))
  const { arms, pairs } = ablationArms(arm, run)
  return {
    arms,
    pairs,
    read: report => effectsOf(report, { arm: arm.name, measure, pairs, skipped, bootstrap: BOOTSTRAP_DEFAULTS }),
  }
}

interface AblateFlags
  extends SessionFlags,
    ReportOptions,
    Pick<OutputOptions, 'json' | 'markdown' | 'command' | 'measure'> {
  /** The arm whose rules are switched; true means `measured`. */
  ablate: string | true
  rules: readonly RuleName[]
  budgets: number[]
  chunkTokens: number
  chunking: Chunking
  version: string | null
}

/** Switches each rule of a plan off alone and on alone, and tells the effects. @throws StowageError `bad_request` */
export async function ablate(
  names: readonly string[],
  flags: AblateFlags,
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { rules, measure, budgets, chunkTokens, chunking, command, version } = flags
  const arm = readOnePlan({ arm: [] }, flags.ablate === true ? 'measured' : flags.ablate, dependencies.plans())
  const sets = await readSets(names, flags, [arm], dependencies)
  await inReplay(flags, dependencies, ({ reranker }) => {
    const { arms, pairs, read } = prepareAblation(arm, rules, { measure, reranker })
    return {
      ...{ sets, arms, budgets, chunkTokens, chunking, details: flags.report !== undefined },
      use: async (report, details) => {
        const ablation = read(report)
        await writeAblation(report, ablation, flags, dependencies.out)
        const ordered = { ...report, arms: armsByEffect(report.arms, ablation, pairs) }
        const facts = { sets, against: arm.name, command, version, ablation }
        await writeHtmlReport(flags, { report: ordered, details, ...facts }, dependencies.progress)
      },
    }
  })
}

/** Prints the effects of the rules, and writes the files that were asked for. */
async function writeAblation(
  report: ReplayReport,
  ablation: AblationReport,
  { json, markdown, command }: Pick<OutputOptions, 'json' | 'markdown' | 'command'>,
  out: NodeJS.WritableStream,
): Promise<void> {
  out.write(ablationText(ablation))
  if (json) await writeFile(json, `${JSON.stringify({ ...report, ablation })}\n`)
  if (markdown) await writeFile(markdown, ablationMarkdown(ablation, command))
}

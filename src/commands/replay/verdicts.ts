import { writeFile } from 'node:fs/promises'
import type { Chunking } from '../../core/types.ts'
import type { PlanArm } from '../../evaluation/arms/arm.ts'
import { readGoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { readUnanswerable } from '../../evaluation/golden-set/unanswerable.ts'
import { askQuestions } from '../../evaluation/verdicts/ask.ts'
import { OTHER_SET, questionsTo } from '../../evaluation/verdicts/questions.ts'
import { verdictsText } from '../../evaluation/verdicts/report.ts'
import { type VerdictReport, verdictsOf } from '../../evaluation/verdicts/verdicts.ts'
import { overridePlan } from '../../pipeline/plan/override-plan.ts'
import { goldenFolder } from '../golden/folder.ts'
import { type ArmFlags, readOnePlan, readSets } from './inputs.ts'
import { inSession, type ReplayCommandDependencies, type SessionFlags } from './session.ts'

/** Reranking takes longer when many questions are in flight, and must not change what is measured. */
const PATIENT = { rerank: { deadlineMs: 600_000 } }

/**
 * Measures the verdicts of `answerable` on the questions of each set, prints them with suggested thresholds, and writes the file that was
 * asked for.
 * @throws StowageError `bad_request`
 */
export async function runVerdicts(
  names: readonly string[],
  flags: SessionFlags & ArmFlags & { chunkTokens: number; chunking: Chunking; json?: string },
  dependencies: ReplayCommandDependencies,
): Promise<void> {
  const { chunkTokens, chunking, limitQueries, json } = flags
  const arm = readOnePlan(flags, 'measured', dependencies.plans())
  const patient: PlanArm = { ...arm, plan: overridePlan(arm.plan, PATIENT) }
  const sets = await readSets(names, flags, [arm], dependencies)
  const unanswerable = await Promise.all(names.map(name => readUnanswerable(goldenFolder(name))))
  const { queries: other } = await readGoldenSet(goldenFolder(OTHER_SET))
  const reports: VerdictReport[] = []
  await inSession(flags, dependencies, async ({ dependencies: replaying, settings, progress }) => {
    for (const [at, set] of sets.entries()) {
      const questions = questionsTo({ set, unanswerable: unanswerable[at] ?? [], other }, limitQueries)
      const job = { ...settings, set, arm: patient, questions, chunkTokens, chunking }
      reports.push(verdictsOf(set, arm, await askQuestions(job, replaying)))
    }
    progress.stop()
  })
  dependencies.out.write(reports.map(verdictsText).join('\n'))
  if (json) await writeFile(json, `${JSON.stringify({ sets: reports })}\n`)
}

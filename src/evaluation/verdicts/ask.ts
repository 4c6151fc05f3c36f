import { messageOf, StowageError } from '../../core/errors.ts'
import type { Verdict } from '../../core/vocabulary.ts'
import { eachAtOnce } from '../../pipeline/pacing/each-at-once.ts'
import type { PlanArm } from '../arms/arm.ts'
import type { GoldenSet } from '../golden-set/golden-set.ts'
import { type Split, splitOf } from '../golden-set/split.ts'
import type { ReplayDependencies, ReplayJob } from '../replay/replay.ts'
import type { GroupedQuestion, QuestionGroup } from './questions.ts'

/** What a question got for an answer. */
export interface JudgedQuestion {
  group: QuestionGroup
  id: string
  query: string
  split: Split
  /** That the documents answer, in [0,1]. */
  probability: number
  verdict: Verdict
  /** Whether a part of the documents was not looked at, or not closely. */
  isPartial: boolean
}

export const probabilitiesOf = (questions: readonly JudgedQuestion[]): number[] =>
  questions.map(({ probability }) => probability)

interface AskJob extends Pick<ReplayJob, 'chunkTokens' | 'chunking' | 'cacheFolder' | 'parallel' | 'onProgress'> {
  set: GoldenSet
  arm: PlanArm
  questions: readonly GroupedQuestion[]
}

/** The verdicts do not depend on the budget, and a small one is packed soonest. */
const BUDGET_TOKENS = 250

/**
 * Asks the documents of a set all questions. The answers come in the order of the questions.
 * @throws StowageError at the first question that fails, with its set and id
 */
export async function askQuestions(
  { set, arm, questions, ...settings }: AskJob,
  { prepare }: Pick<ReplayDependencies, 'prepare'>,
): Promise<JudgedQuestion[]> {
  const { parallel = 1, onProgress } = settings
  const budgets = [BUDGET_TOKENS]
  const prepared = await prepare(set, { ...settings, sets: [set], arms: [arm], budgets, limitQueries: null })
  try {
    const judged: JudgedQuestion[] = []
    let done = 0
    const tell = () => onProgress(`${set.name}: ask`, done, questions.length)
    tell()
    await eachAtOnce(questions.entries(), parallel, async ([at, { group, query }]) => {
      const [run] = await prepared.run(query, arm, budgets).catch((error: unknown) => {
        const message = `set ${set.name}, question ${query.id}: ${messageOf(error)}`
        throw new StowageError('internal', message, { cause: error })
      })
      prepared.forget?.(query)
      if (run?.answerable === undefined) throw new TypeError('the arm does not tell whether the documents answer')
      const { probability, verdict, reasons } = run.answerable
      const { id, query: text } = query
      const isPartial = reasons.includes('degraded')
      judged[at] = { group, id, query: text, split: splitOf(query), probability, verdict, isPartial }
      done++
      tell()
    })
    return judged
  } finally {
    await prepared.close()
  }
}

import type { ContextualizeDependencies } from './dependencies.ts'
import { countLeft, isDoneInRun, isUpToDate, surveyOf } from './documents/survey.ts'
import type { LivePoint } from './live-collection.ts'
import { runPass } from './run-pass.ts'
import type { Spending } from './state/spending.ts'

/** Passes over a collection that others keep writing to. */
const MOST_PASSES = 10

export interface ContextualizeResult {
  points: number
  withoutText: number
  /** Points that had an up-to-date context at the start. */
  before: number
  /** Contexts that this run stored. */
  stored: number
  /** Those of them that are of the rules, in the place of those of the model. */
  fallbacks: number
  /** Those of them that the next run asks the model for, because it could not be reached. */
  postponed: number
  /** Points that need a context at the end: the budget was used up, or others keep changing them. */
  left: number
  stoppedBy: 'budget' | 'changes' | null
  /** Of all runs with the same state. */
  spending: Spending
}

export type OnContextProgress = (progress: { done: number; total: number; spending: Spending }) => void

/**
 * Writes the missing contexts of a collection, and walks over it again until nothing is missing: what others write meanwhile is found
 * like what an interrupted run left. A second run does nothing but ask again where the model could not be reached.
 * @throws what ended the run; everything that was reached by then is kept
 */
export async function contextualize(
  dependencies: ContextualizeDependencies,
  onProgress: OnContextProgress,
  signal: AbortSignal,
): Promise<ContextualizeResult> {
  const { collection, writer, partition, state } = dependencies
  let before: number | null = null
  let stored = 0
  let fallbacks = 0
  let isStopped = false
  const postponed = new Set<string>()
  for (let pass = 0; ; pass++) {
    signal.throwIfAborted()
    const isDone = (point: LivePoint) => isDoneInRun(point, isUpToDate(point, writer.version), postponed)
    const survey = await surveyOf(collection.pages(), isDone, partition)
    const { points, withoutText } = survey
    const left = countLeft(survey)
    before ??= survey.done
    if (left === 0 || isStopped || pass === MOST_PASSES) {
      const stoppedBy = left === 0 ? null : isStopped ? 'budget' : 'changes'
      const counts = { points, withoutText, before, stored, fallbacks, postponed: postponed.size, left }
      return { ...counts, stoppedBy, spending: state.contexts.spending }
    }
    const total = points - withoutText
    const report = (done: number) => onProgress({ done: survey.done + done, total, spending: state.contexts.spending })
    report(0)
    const result = await runPass(survey, dependencies, report, signal)
    stored += result.stored
    fallbacks += result.fallbacks
    for (const key of result.postponed) postponed.add(key)
    isStopped = result.isStopped
  }
}

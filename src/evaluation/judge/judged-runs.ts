import type { RunFigures } from '../metrics/measure-run.ts'
import type { Judge } from './judge.ts'

/** Who judges the answers of a replay, at one budget: a judgement costs three calls of a language model. */
export interface ReplayJudge {
  judge: Judge
  /** Model and endpoint. */
  name: string
  budgetTokens: number
  /** Called for each run that lacks a figure, with the reason. */
  onFault(fault: string): void
}

/** Adds what the judge says of a run to its figures. Never rejects. */
export async function addJudgement(
  question: string,
  context: string,
  figures: RunFigures,
  { judge, onFault }: ReplayJudge,
): Promise<void> {
  // Ctrl-C ends the process, and what was replied by then is remembered.
  const { signal } = new AbortController()
  const { faithfulness, answerRelevance, fault } = await judge(question, context, signal)
  figures.measures.faithfulness = faithfulness
  figures.measures.answer_relevance = answerRelevance
  if (fault !== null) onFault(fault)
}

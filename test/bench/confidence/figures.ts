import { mean } from '../../../src/statistics/sample.ts'

/** Points of recall that questions at or below a threshold had. */
export function recallLost(questions: readonly { score: number; recall: number }[], threshold: number): number {
  return 100 * mean(questions.map(({ score, recall }) => (score <= threshold ? recall : 0)))
}

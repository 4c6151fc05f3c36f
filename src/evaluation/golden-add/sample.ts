import { compareText, groupBy } from '../../core/collections.ts'
import { sha256 } from '../../text/fingerprint.ts'
import type { SeenQuestion } from './read-traces.ts'

/**
 * Samples questions: from each intent in turn, so that rare intents are there too. The order within an intent is made by the seed and the
 * question alone, so a larger sample of the same seed begins with the smaller one.
 */
export function sampleQuestions(
  questions: readonly SeenQuestion[],
  { size, seed }: { size: number; seed: number },
): SeenQuestion[] {
  const placed = questions.map(question => ({ question, at: sha256(`${seed} ${question.key}`) }))
  placed.sort((left, right) => compareText(left.at, right.at))
  const strata = [...groupBy(placed, ({ question }) => question.intent).values()]
  const sampled: SeenQuestion[] = []
  for (let round = 0; sampled.length < Math.min(size, questions.length); round++)
    for (const stratum of strata) {
      const next = stratum[round]
      if (next && sampled.length < size) sampled.push(next.question)
    }
  return sampled
}

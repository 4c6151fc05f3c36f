import type { GoldenQuery, GoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import { type Split, splitOf } from '../../../src/evaluation/golden-set/split.ts'
import { readUnanswerable } from '../../../src/evaluation/golden-set/unanswerable.ts'
import { questionsTo as groupedQuestions, type QuestionGroup } from '../../../src/evaluation/verdicts/questions.ts'

/** A question to the documents of a set. */
export interface Question {
  group: QuestionGroup
  /** The set that the question is from. */
  from: string
  split: Split
  query: GoldenQuery
}

/** A golden set, with questions that its documents do not answer. */
export interface BenchSet {
  set: GoldenSet
  unanswerable: readonly GoldenQuery[]
}

export async function readBenchSet(path: string): Promise<BenchSet> {
  return { set: await readGoldenSet(path), unanswerable: await readUnanswerable(path) }
}

/** The questions to the documents of one set; those about something else are of another set. @param limit most questions of each group */
export function questionsTo({ set, unanswerable }: BenchSet, other: GoldenSet | null, limit: number): Question[] {
  const grouped = groupedQuestions({ set, unanswerable, other: other?.queries ?? [] }, limit)
  return grouped.map(({ group, query }) => ({
    ...{ group, query, from: group === 'other' && other !== null ? other.name : set.name },
    // Questions that were written without an answer are for judging alone.
    split: group === 'unanswerable' ? 'test' : splitOf(query),
  }))
}

import type { Plan } from '../../pipeline/plan/plan.ts'
import { wilsonInterval } from '../../statistics/wilson.ts'
import { SPLITS, type Split } from '../golden-set/split.ts'
import { type JudgedQuestion, probabilitiesOf } from './ask.ts'
import type { QuestionGroup } from './questions.ts'
import { isEnough, MOST_WRONG, thresholdAbove, thresholdBelow } from './thresholds.ts'

export type Thresholds = Plan['verdict']

/** What one half of the questions chose, and how many of the other half it judges wrong. */
export interface HalfChoice {
  chosenOn: Split
  threshold: number
  wrong: number
  questions: number
}

/** A threshold that was chosen by the questions of a group, and what they say of such a choice. */
export interface Choice {
  group: QuestionGroup
  /** Chosen on all questions of the group. */
  threshold: number
  halves: HalfChoice[]
  /** Share that the halves judge wrong of each other, in [0,1], with its 95 % interval. */
  wrong: { share: number; low: number; high: number }
  /** Whether the interval is above 5 %, so that the choice does not hold for other questions. */
  isRefuted: boolean
}

export interface Suggestion {
  /** Null with too few golden questions. */
  uncertain: Choice | null
  /** Null with too few questions about the same subject without an answer. */
  inDocuments: Choice | null
  /** Thresholds for the plan; what was not chosen is as before. Null when nothing was chosen. */
  thresholds: Thresholds | null
}

/**
 * Suggests the thresholds of the verdicts: `uncertain` so that at most 5 % of the golden questions are below it, and `inDocuments` so that at
 * most 5 % of the questions about the same subject without an answer reach it. Questions about something else do not choose: what keeps
 * them out lets most of the others through (docs/decisions/0112).
 */
export function suggest(questions: readonly JudgedQuestion[], before: Thresholds): Suggestion {
  const uncertain = choose('answered', questions, below)
  const inDocuments = choose('unanswerable', questions, reaching) ?? choose('without', questions, reaching)
  if (uncertain === null && inDocuments === null) return { uncertain, inDocuments, thresholds: null }
  const chosen = [uncertain?.threshold ?? before.uncertain, inDocuments?.threshold ?? before.inDocuments]
  // Where they cross, each in the place of the other keeps both promises.
  return { uncertain, inDocuments, thresholds: { inDocuments: Math.max(...chosen), uncertain: Math.min(...chosen) } }
}

interface Rule {
  choose(probabilities: readonly number[]): number | null
  isWrong(probability: number, threshold: number): boolean
}

const below: Rule = { choose: thresholdBelow, isWrong: (probability, threshold) => probability < threshold }
const reaching: Rule = { choose: thresholdAbove, isWrong: (probability, threshold) => probability >= threshold }

/** Chooses a threshold, and judges each half by what the other one chooses. Null when a half has too few questions. */
function choose(group: QuestionGroup, questions: readonly JudgedQuestion[], rule: Rule): Choice | null {
  const own = questions.filter(question => question.group === group)
  const threshold = rule.choose(probabilitiesOf(own))
  const halves = SPLITS.flatMap((chosenOn): HalfChoice[] => {
    const choosing = own.filter(({ split }) => split === chosenOn)
    const judged = probabilitiesOf(own.filter(({ split }) => split !== chosenOn))
    const ofHalf = rule.choose(probabilitiesOf(choosing))
    if (ofHalf === null || !isEnough(judged.length)) return []
    const wrong = judged.filter(probability => rule.isWrong(probability, ofHalf)).length
    return [{ chosenOn, threshold: ofHalf, wrong, questions: judged.length }]
  })
  if (threshold === null || halves.length < SPLITS.length) return null
  const wrong = halves.reduce((sum, half) => sum + half.wrong, 0)
  const interval = wilsonInterval(wrong, own.length)
  return {
    ...{ group, threshold, halves },
    wrong: { share: wrong / own.length, ...interval },
    isRefuted: interval.low > MOST_WRONG,
  }
}

import { countOf } from '../../core/collections.ts'
import { codesOf, VERDICTS, type Verdict } from '../../core/vocabulary.ts'
import { verdictOf } from '../../pipeline/confidence/answerable.ts'
import { auroc } from '../../statistics/auroc.ts'
import type { PlanArm } from '../arms/arm.ts'
import type { GoldenSet } from '../golden-set/golden-set.ts'
import { type JudgedQuestion, probabilitiesOf } from './ask.ts'
import { GROUP_NAMES, type QuestionGroup } from './questions.ts'
import { type Suggestion, suggest, type Thresholds } from './suggest.ts'

/** The questions of one group and their verdicts. */
export interface GroupFigures {
  group: QuestionGroup
  questions: number
  verdicts: Record<Verdict, number>
  /** The same by the suggested thresholds; null without a suggestion. */
  suggested: Record<Verdict, number> | null
  /** How often a golden question has a larger probability than one of the group, in [0,1]; null for the golden questions. */
  auroc: number | null
}

/** How the verdicts of one set turn out. `--json` writes it as it is. */
export interface VerdictReport {
  set: string
  arm: string
  thresholds: Thresholds
  groups: GroupFigures[]
  suggestion: Suggestion
  questions: readonly JudgedQuestion[]
}

/** Reads the report of the questions of one set. */
export function verdictsOf(
  { name: set }: Pick<GoldenSet, 'name'>,
  { name: arm, plan }: Pick<PlanArm, 'name' | 'plan'>,
  questions: readonly JudgedQuestion[],
): VerdictReport {
  const thresholds = plan.verdict
  const suggestion = suggest(questions, thresholds)
  const of = (group: QuestionGroup) => questions.filter(question => question.group === group)
  const answered = probabilitiesOf(of('answered'))
  const groups = GROUP_NAMES.flatMap((group): GroupFigures[] => {
    const own = of(group)
    if (own.length === 0) return []
    const suggested = suggestion.thresholds && countVerdicts(own.map(judgedBy(suggestion.thresholds)))
    return [
      {
        ...{ group, questions: own.length, suggested },
        verdicts: countVerdicts(own.map(({ verdict }) => verdict)),
        auroc: group === 'answered' ? null : auroc(answered, probabilitiesOf(own)),
      },
    ]
  })
  return { set, arm, thresholds, groups, suggestion, questions }
}

const judgedBy =
  (thresholds: Thresholds) =>
  ({ probability, isPartial }: JudgedQuestion): Verdict =>
    verdictOf(probability, thresholds, isPartial)

function countVerdicts(verdicts: readonly Verdict[]): Record<Verdict, number> {
  const counts = countOf(verdicts)
  return Object.fromEntries(codesOf(VERDICTS).map(code => [code, counts.get(code) ?? 0] as const)) as Record<
    Verdict,
    number
  >
}

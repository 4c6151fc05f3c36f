import { codesOf, VERDICTS, type Verdict } from '../../core/vocabulary.ts'
import { PLAN_VALUES } from '../../pipeline/plan/plan-values.ts'
import { counted } from '../../text/printable.ts'
import { reportOf } from '../report/numbers.ts'
import { LIMITED_RULES, newTable } from '../report/table.ts'
import { QUESTION_GROUPS, type QuestionGroup } from './questions.ts'
import type { Choice, HalfChoice, Suggestion, Thresholds } from './suggest.ts'
import { LEAST_QUESTIONS } from './thresholds.ts'
import type { GroupFigures, VerdictReport } from './verdicts.ts'

/** Prints the verdicts by group, and the suggested thresholds with what the questions say of them. */
export function verdictsText({ set, arm, thresholds, groups, suggestion, questions }: VerdictReport): string {
  const partial = questions.filter(({ isPartial }) => isPartial).length
  return reportOf([
    `${set} under ${arm}, ${thresholdsText(thresholds)}\n${tableOf(groups, ({ verdicts }) => verdicts)}`,
    missingText(groups),
    partial === 0
      ? ''
      : `${counted(partial, 'question was', 'questions were')} answered from a part of the documents (degraded), so their figures say little`,
    choiceText('uncertain', suggestion.uncertain),
    choiceText('inDocuments', suggestion.inDocuments),
    suggestedText(suggestion, groups),
  ])
}

const thresholdsText = ({ inDocuments, uncertain }: Thresholds): string =>
  `in_documents from ${inDocuments}, uncertain from ${uncertain}`

function tableOf(
  groups: readonly GroupFigures[],
  verdictsOf: (figures: GroupFigures) => Record<Verdict, number> | null,
): string {
  const codes = codesOf(VERDICTS)
  const table = newTable(['questions', 'number', ...codes.map(code => `${code}, %`), 'AUROC'], LIMITED_RULES)
  for (const figures of groups) {
    const { group, questions, auroc } = figures
    const shares = codes.map(code => percent((verdictsOf(figures)?.[code] ?? 0) / questions))
    table.push([QUESTION_GROUPS[group].title, questions, ...shares, auroc === null ? '-' : auroc.toFixed(3)])
  }
  return table.toString()
}

const percent = (share: number): string => (100 * share).toFixed(1)

/** Why groups have no questions. */
function missingText(groups: readonly GroupFigures[]): string {
  const present = new Set(groups.map(({ group }) => group))
  return Object.entries(QUESTION_GROUPS)
    .filter(([group]) => !present.has(group as QuestionGroup))
    .map(([, { title, missing }]) => `left out, ${title}: ${missing}`)
    .join('\n')
}

const RULES = {
  uncertain: { promise: 'at most 5 % of golden questions are below it', fault: 'below it' },
  inDocuments: { promise: 'at most 5 % of questions about the subject without an answer reach it', fault: 'reach it' },
} as const

function choiceText(name: keyof Thresholds, choice: Choice | null): string {
  const { promise, fault } = RULES[name]
  const head = `verdict.${name}: ${promise}`
  if (choice === null)
    return `${head}\n  too few questions to say: each half needs ${LEAST_QUESTIONS}, about 50 altogether`
  const { group, threshold, halves, wrong, isRefuted } = choice
  const halfText = (half: HalfChoice) =>
    `the ${half.chosenOn} half chooses ${half.threshold}: ${half.wrong} of the other ${half.questions} ${fault}`
  return [
    head,
    `  ${threshold}, chosen on all ${QUESTION_GROUPS[group].title}`,
    `  ${halves.map(halfText).join('; ')}`,
    `  together ${percent(wrong.share)} % wrong, 95 % interval [${percent(wrong.low)}, ${percent(wrong.high)}]${isRefuted ? `. ${REFUTED}` : ''}`,
  ].join('\n')
}

const REFUTED = 'That is more than 5 %: the halves differ, so add questions before you trust it'

function suggestedText({ thresholds }: Suggestion, groups: readonly GroupFigures[]): string {
  if (thresholds === null) return ''
  const values = Object.entries(thresholds).map(([name, value]) => ({ path: `verdict.${name}`, value }))
  const variableOf = (path: string) => PLAN_VALUES.find(one => one.path === path)?.variable
  return [
    `suggested: ${thresholdsText(thresholds)}\n${tableOf(groups, ({ suggested }) => suggested)}`,
    `overrides of an arm: ${values.map(({ path, value }) => `${path}=${value}`).join(',')}`,
    `environment:         ${values.map(({ path, value }) => `${variableOf(path)}=${value}`).join(' ')}`,
  ].join('\n')
}

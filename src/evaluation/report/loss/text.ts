import { groupBy } from '../../../core/collections.ts'
import { counted, terminalText } from '../../../text/printable.ts'
import type { LossRow } from '../../loss/budget.ts'
import { type GoldLoss, LOSS_RULES } from '../../loss/loss.ts'
import { LOSS_STEP_NAMES, LOSS_STEPS } from '../../loss/steps.ts'
import type { LostGold, LostQuestion } from '../../loss/worst.ts'
import { AVERAGE } from '../../summary/summary.ts'
import { LIMITED_RULES, newTable } from '../table.ts'

/** Questions that are printed of each arm. */
const WORST = 10
/** Characters that are printed of a gold passage. */
const SHOWN = 80

/**
 * Prints the loss budget for terminals: for each set and arm a table of steps by budget, and the questions that lost the most.
 * @param worst of all arms, as `worstQuestions` gives them
 * @param against the reference arm
 */
export function lossText(rows: readonly LossRow[], worst: readonly LostQuestion[], against: string): string {
  const arms = [...new Set(rows.map(({ arm }) => arm))]
  const tables = [...new Set(rows.map(({ set }) => set))].flatMap(set =>
    arms.flatMap(arm =>
      lossTables(
        rows.filter(row => row.set === set && row.arm === arm),
        against,
      ),
    ),
  )
  const others = arms.length > 1 ? arms.filter(arm => arm !== against) : arms
  const questions = others.flatMap(arm =>
    worstText(
      arm,
      worst.filter(question => question.arm === arm),
    ),
  )
  return `${[...tables, legend(against), ...questions].join('\n\n')}\n`
}

/** The table by text, and the one by place when its points differ. Nothing without losses. */
function lossTables(ofArm: readonly LossRow[], against: string): string[] {
  const [byText = [], byPlace = []] = LOSS_RULES.map(rule => ofArm.filter(row => row.rule === rule))
  const [first] = byText
  if (first === undefined) return []
  const { set, arm } = first
  const where = set === null ? 'all sets, with equal weights' : set
  const isEqual = byPlace.length === byText.length && byPlace.every((row, at) => samePoints(row, byText[at]))
  const rules = isEqual ? 'by text and by place alike' : 'by text'
  const titled = (title: string, rows: readonly LossRow[]) =>
    rows.length === 0 ? [] : [`${title}: ${countsOf(rows)}\n${lossTable(rows, against)}`]
  return [
    ...titled(`losses of ${arm} on ${where}, ${rules}`, byText),
    ...(isEqual ? [] : titled(`losses of ${arm} on ${where}, by place`, byPlace)),
  ]
}

function samePoints(row: LossRow, other: LossRow | undefined): boolean {
  return LOSS_STEP_NAMES.every(step => row.points[step] === other?.points[step])
}

function countsOf([first]: readonly LossRow[]): string {
  const golds = Object.values(first?.golds ?? {}).reduce((sum, count) => sum + count, 0)
  return `${counted(first?.queries ?? 0, 'query', 'queries')}, ${counted(golds, 'gold passage')}`
}

/** The steps that lost something, `found`, and the best fills. */
function lossTable(rows: readonly LossRow[], against: string): string {
  const rounded = rows.map(({ points }) => roundedTo(points, 'found'))
  const table = newTable(['points (gold passages)', ...rows.map(({ budget }) => budget)], LIMITED_RULES)
  for (const step of LOSS_STEP_NAMES) {
    if (rows.every(row => row.golds[step] === 0)) continue
    table.push([LOSS_STEPS[step].title, ...rows.map((row, at) => cell(rounded[at]?.[step] ?? 0, row, row.golds[step]))])
  }
  for (const name of ['lists', 'pool', 'packing'] as const)
    table.push([`best fill: ${name}`, ...rows.map(({ oracle }) => oracle[name].toFixed(1))])
  if (rows.some(({ arm }) => arm !== against))
    table.push(['distance closed, %', ...rows.map(({ closed }) => (closed === null ? '-' : (100 * closed).toFixed(0)))])
  return table.toString()
}

function cell(points: number, { budget }: LossRow, golds: number): string {
  const text = points.toFixed(1)
  return budget === AVERAGE ? text : `${text} (${golds})`
}

function legend(against: string): string {
  return [
    'the steps of a column sum up to 100; docs/evaluation.md says what each step means',
    'by text: a gold passage counts wherever its words stand; by place: only where it stands in its document',
    'best fill: the gold passages that fit into the budget when nothing else is packed, from the retrieved lists,',
    '  from the pool, and from what reached packing with fetched neighbours',
    `distance closed: share of the distance between ${against} and the best fill of its lists`,
  ].join('\n')
}

function worstText(arm: string, questions: readonly LostQuestion[]): string[] {
  if (questions.length === 0) return []
  const shown = questions.slice(0, WORST).map(({ set, id, query, lost, golds }) => {
    const lines = golds.map(gold => `    ${goldText(gold)}`)
    return [`  ${lost.toFixed(1)}  ${set}/${id}: ${shortened(query)}`, ...lines].join('\n')
  })
  const head = `${arm}: ${questions.length} questions lost gold passages; the ${shown.length} worst, with the points that they lost on average`
  return [[head, ...shown].join('\n')]
}

/** The step of a gold passage by budget; budgets with equal losses stand together. */
function goldText({ gold, text, losses }: LostGold): string {
  const byLoss = groupBy(Object.entries(losses), ([, loss]) => lossOfGold(loss))
  const told = Array.from(byLoss, ([loss, at]) => `at ${at.map(([budget]) => budget).join(', ')} ${loss}`)
  return `gold ${gold} "${shortened(text)}": ${told.join('; ')}`
}

function lossOfGold({ step, share, holder }: GoldLoss): string {
  const part = step === 'in_part' ? ` ${(100 * share).toFixed(0)} %` : ''
  if (holder === null) return `${LOSS_STEPS[step].title}${part}`
  const rank = holder.rank === null ? '' : `, rank ${holder.rank}`
  return `${LOSS_STEPS[step].title}${part} (${holder.id}${rank}, ${holder.reason ?? 'packed'})`
}

function shortened(text: string): string {
  const line = terminalText(text.replace(/\s+/gu, ' ').trim())
  return line.length <= SHOWN ? line : `${[...line].slice(0, SHOWN).join('')}…`
}

/**
 * Rounds points to tenths so that their sum stays 100: those with the largest remainders are rounded up. The points of `fixed` are rounded as
 * everywhere else, so that they are the same figure in every table.
 * @param points that sum up to 100
 */
export function roundedTo<Name extends string>(
  points: Readonly<Record<Name, number>>,
  fixed: NoInfer<Name>,
): Record<Name, number> {
  const names = Object.keys(points) as Name[]
  const tenths = Object.fromEntries(names.map(name => [name, Math.floor(points[name] * 10 + 1e-9)])) as Record<
    Name,
    number
  >
  tenths[fixed] = Math.round(Number(points[fixed].toFixed(1)) * 10)
  const missing = 1000 - names.reduce((sum, name) => sum + tenths[name], 0)
  const roundedUp = names
    .filter(name => name !== fixed && points[name] > 0)
    .sort((left, right) => points[right] * 10 - tenths[right] - (points[left] * 10 - tenths[left]))
    .slice(0, missing)
  for (const name of roundedUp) tenths[name] += 1
  return Object.fromEntries(names.map(name => [name, tenths[name] / 10])) as Record<Name, number>
}

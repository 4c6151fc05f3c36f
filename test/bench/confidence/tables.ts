import { codesOf, VERDICTS } from '../../../src/core/vocabulary.ts'
import { GROUP_NAMES, type QuestionGroup } from '../../../src/evaluation/verdicts/questions.ts'
import { answerableBy } from '../../../src/pipeline/confidence/answerable.ts'
import { NAMED_PLANS } from '../../../src/pipeline/plan/named-plans.ts'
import { auroc } from '../../../src/statistics/auroc.ts'
import { mean, percentile } from '../../../src/statistics/sample.ts'
import type { PassageRow, Row } from './asking.ts'
import { recallLost } from './figures.ts'
import { fitModels, probabilityOf, relevanceOf, type Signals } from './fitting.ts'

/** Share of the questions without an answer that a threshold leaves below it. */
const REJECTED = 0.9
const NEGATIVES = GROUP_NAMES.filter(group => group !== 'answered')

interface Scored {
  row: Row
  score: number
}

/** A row of a table. */
const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |\n`
const head = (names: readonly string[]): string => line(names) + line(names.map(() => '---'))
const number = (value: number, digits = 3): string => (Number.isNaN(value) ? '' : value.toFixed(digits))

/** Each set judged by models that were fitted on the others: how well the probability tells questions with an answer from those without. */
export function leaveOneOutTable(rows: readonly Row[], signals: Signals): string {
  const scored = setsOf(rows).flatMap((set): Scored[] => {
    const models = fitModels(
      rows.filter(row => row.set !== set && row.from !== set),
      signals,
    )
    return rows.filter(row => row.set === set).map(row => ({ row, score: probabilityOf(row, models, signals) }))
  })
  return separationTable(scored)
}

/** The models fitted on the training halves, judged on the others. */
export function halvesTable(rows: readonly Row[], signals: Signals): string {
  const models = fitModels(
    rows.filter(({ split }) => split === 'train'),
    signals,
  )
  const judged = rows.filter(({ split }) => split === 'test')
  return separationTable(judged.map(row => ({ row, score: probabilityOf(row, models, signals) })))
}

function separationTable(scored: readonly Scored[]): string {
  const names = ['set', 'questions', ...NEGATIVES.flatMap(group => [`${group}: AUROC`, 'recall lost', 'Brier'])]
  return (
    head(names) +
    groupsOf(scored)
      .map(([name, some]) => line(separation(name, some, scored)))
      .join('')
  )
}

/** The threshold is that of all sets, because an answer has only one. */
function separation(name: string, some: readonly Scored[], all: readonly Scored[]): (string | number)[] {
  const own = some.filter(({ row }) => row.group === 'answered')
  const figures = NEGATIVES.flatMap(group => {
    const negatives = scoresOf(some, group)
    if (own.length === 0 || negatives.length === 0) return ['', '', '']
    const questions = own.map(({ row, score }) => ({ score, recall: recallOf(row) }))
    const misses = [...own.map(({ score }) => (1 - score) ** 2), ...negatives.map(score => score ** 2)]
    return [
      number(
        auroc(
          own.map(({ score }) => score),
          negatives,
        ),
      ),
      number(recallLost(questions, percentile(scoresOf(all, group), REJECTED) ?? 0), 1),
      number(mean(misses)),
    ]
  })
  return [name, own.length, ...figures]
}

/** The verdicts of the shipped weights, as shares in percent, and the points of recall of the questions with this verdict. */
export function verdictTable(rows: readonly Row[], signals: Signals): string {
  const verdictOf = ({ passages }: Row) =>
    answerableBy(
      passages.map(one => (signals === 'words' ? { ...one, rerank: null } : one)),
      [],
      NAMED_PLANS.measured.verdict,
    ).verdict
  const judged = rows.filter(({ split }) => split === 'test').map(row => ({ row, score: 0 }))
  const cells = (some: readonly Scored[]) =>
    GROUP_NAMES.flatMap(group => {
      const of = some.filter(({ row }) => row.group === group)
      const shares = codesOf(VERDICTS).map(
        verdict => 100 * mean(of.map(({ row }) => (verdictOf(row) === verdict ? 1 : 0))),
      )
      return of.length === 0 ? '' : shares.map(share => number(share, 0)).join(' / ')
    })
  const lost = (some: readonly Scored[]) => {
    const own = some.filter(({ row }) => row.group === 'answered')
    return number(100 * mean(own.map(({ row }) => (verdictOf(row) === 'not_in_documents' ? recallOf(row) : 0))), 1)
  }
  const names = ['set', ...GROUP_NAMES, 'recall lost']
  return (
    head(names) +
    groupsOf(judged)
      .map(([name, some]) => line([name, ...cells(some), lost(some)]))
      .join('')
  )
}

/** What the fill `relevant` saves and loses, by set and budget: points of recall, and tokens. */
export function fillTable(rows: readonly Row[]): string {
  const own = rows.filter(({ group }) => group === 'answered').map(row => ({ row, score: 0 }))
  const budgets = Object.keys(rows[0]?.filled ?? {}).map(Number)
  const names = ['set', ...budgets.flatMap(budget => [`${budget}: recall`, 'relevant', 'tokens saved'])]
  const cells = (some: readonly Scored[]) =>
    budgets.flatMap(budget => {
      const of = (fill: 'all' | 'relevant') =>
        some.map(({ row }) => row.filled[budget]?.[fill] ?? { tokens: 0, recall: 0 })
      const recall = (fill: 'all' | 'relevant') => 100 * mean(of(fill).map(one => one.recall))
      const tokens = (fill: 'all' | 'relevant') => mean(of(fill).map(one => one.tokens))
      const saved = 100 * (1 - tokens('relevant') / tokens('all'))
      return [number(recall('all'), 1), number(recall('relevant'), 1), `${number(saved, 0)} %`]
    })
  return (
    head(names) +
    groupsOf(own)
      .map(([name, some]) => line([name, ...cells(some)]))
      .join('')
  )
}

const BINS = [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 1.01]

/** How often passages of a relevance hold a gold passage, or stand in one: test halves, models of the training halves. */
export function passagesTable(rows: readonly Row[], signals: Signals): string {
  const models = fitModels(
    rows.filter(({ split }) => split === 'train'),
    signals,
  )
  const passages = rows
    .filter(({ group, split }) => split === 'test' && (group === 'answered' || group === 'other'))
    .flatMap(row => row.passages.map(one => ({ gold: one.gold ? 1 : 0, relevance: relevanceOf(one, models, signals) })))
  return binnedTable(passages, ['relevance', 'gold'])
}

/** The means of some figures by relevance. */
function binnedTable<Name extends string>(
  rows: readonly Record<Name | 'relevance', number>[],
  names: readonly Name[],
): string {
  const bins = BINS.slice(1).map((to, at) => {
    const from = BINS[at] ?? 0
    const some = rows.filter(({ relevance }) => relevance >= from && relevance < to)
    const means = names.map(name => number(mean(some.map(one => one[name]))))
    return line([`${from} to ${Math.min(1, to)}`, some.length, ...means])
  })
  return head(['relevance', 'passages', ...names.map(name => (name === 'relevance' ? 'mean' : name))]) + bins.join('')
}

/** How often a fetched neighbour holds gold, divided by the mean relevance of the best passages beside them. */
export function neighbourShare(rows: readonly Row[], signals: Signals): number {
  const models = fitModels(
    rows.filter(({ split }) => split === 'train'),
    signals,
  )
  const pairs = rows
    .filter(({ group }) => group === 'answered')
    .flatMap(({ passages, neighbours }) =>
      neighbours.map(({ gold, beside }) => ({
        gold: gold ? 1 : 0,
        beside: Math.max(
          0,
          ...beside.map(at => passages[at]).map(one => (one ? relevanceOf(one, models, signals) : 0)),
        ),
      })),
    )
  return mean(pairs.map(({ gold }) => gold)) / mean(pairs.map(({ beside }) => beside))
}

/** Passages whose document another passage names, by the relevance of that one: their own relevance, and how often they hold gold. */
export function mentionedTable(rows: readonly Row[], signals: Signals): string {
  const models = fitModels(
    rows.filter(({ split }) => split === 'train'),
    signals,
  )
  const relevance = (passage: PassageRow | undefined) => (passage ? relevanceOf(passage, models, signals) : 0)
  const mentioned = rows
    .filter(({ group }) => group === 'answered')
    .flatMap(row =>
      row.mentioned.map(one => ({
        relevance: relevance(row.passages[one.by]),
        own: relevance(row.passages[one.passage]),
        gold: row.passages[one.passage]?.gold ? 1 : 0,
      })),
    )
  return binnedTable(mentioned, ['relevance', 'own', 'gold'])
}

/** The mean recall of the contexts that hold everything that fits. */
function recallOf({ filled }: Row): number {
  return mean(Object.values(filled).map(({ all }) => all.recall))
}

function scoresOf(scored: readonly Scored[], group: QuestionGroup): number[] {
  return scored.filter(({ row }) => row.group === group).map(({ score }) => score)
}

function groupsOf(scored: readonly Scored[]): [string, readonly Scored[]][] {
  const sets = setsOf(scored.map(({ row }) => row))
  return [...sets.map((set): [string, Scored[]] => [set, scored.filter(({ row }) => row.set === set)]), ['all', scored]]
}

function setsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ set }) => set))]
}

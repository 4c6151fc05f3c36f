import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { useHash } from '../../../../../web/page/use-hash.ts'
import type { MeasureFacts, QueryRow, ReportData } from '../../report-data.ts'
import { figureOf, gainOf } from './figures.ts'

/** What the page shows. All of it is in the address, so that every view has a link and the back button works. */
export interface View {
  /** Set and id of the open query, for example `isharoth/who`; null shows the overview. */
  q: string | null
  measure: number
  /** Place of the set; null: all sets. */
  set: number | null
  /** Tokens. */
  budget: number
  /** The arm that is looked at, and the one that it is compared with. */
  arm: number
  versus: number
  /** Arms that are left out of the plots. */
  hidden: readonly number[]
  /** Whether differences are means over all budgets. */
  average: boolean
  /** Filters of the list of queries; empty: no filter. */
  text: string
  intent: string
  grade: string
  outcome: string
  sort: string
}

export interface Report {
  data: ReportData
  view: View
  /** Shows another view. `newEntry`: the back button comes back to this one. */
  go(changes: Partial<View>, newEntry?: boolean): void
  /** The address of another view. */
  linkTo(changes: Partial<View>): string
}

export const ReportContext = createContext<Report | null>(null)

export function useReport(): Report & { measure: MeasureFacts } {
  const report = useContext(ReportContext)
  if (!report) throw new Error('no report is given to this part of the page')
  const measure = report.data.measures[report.view.measure]
  if (!measure) throw new Error('the report has no measures')
  return { ...report, measure }
}

/** The figures of queries at the budget and the measure of the view. */
export function useFigures() {
  const { data, view, measure } = useReport()
  const place = data.budgets.indexOf(view.budget)
  return {
    figure: (query: QueryRow, arm: number) => figureOf(query, arm, place, view.measure),
    /** Of the arm that is looked at, against the one that it is compared with. */
    gain: (query: QueryRow) => gainOf(query, [view.arm, view.versus], place, view.measure, measure),
  }
}

/** Follows the address. */
export function useView(data: ReportData): Report {
  const view = viewOf(useHash(), data)
  return {
    data,
    view,
    go: (changes, newEntry = false) => {
      const address = hashOf({ ...viewOf(location.hash, data), ...changes }, data)
      if (newEntry) location.hash = address
      else location.replace(address)
    },
    linkTo: changes => hashOf({ ...view, ...changes }, data),
  }
}

function defaultView(data: ReportData): View {
  const named = (name: string) => data.arms.findIndex(arm => arm.name === name)
  const other = data.arms.findIndex((_, index) => index !== data.reference)
  const arm = named('measured') >= 0 && named('measured') !== data.reference ? named('measured') : Math.max(0, other)
  return {
    q: null,
    measure: Math.max(
      0,
      data.measures.findIndex(({ name }) => name === 'recall'),
    ),
    set: data.sets.length === 1 ? 0 : null,
    budget: data.detailBudget,
    arm,
    versus: data.reference,
    hidden: hiddenAtFirst(data),
    average: true,
    text: '',
    intent: '',
    grade: '',
    outcome: '',
    sort: 'order',
  }
}

/** Names, not places, are in the address: a link stays right when the report is made again with more arms. */
function hashOf(view: View, data: ReportData): string {
  const usual = defaultView(data)
  const nameOf = (arm: number) => data.arms[arm]?.name ?? ''
  const values: [string, string, boolean][] = [
    ['q', view.q ?? '', view.q !== null],
    ['measure', data.measures[view.measure]?.name ?? '', view.measure !== usual.measure],
    ['set', view.set === null ? '' : (data.sets[view.set]?.name ?? ''), view.set !== usual.set],
    ['budget', String(view.budget), view.budget !== usual.budget],
    ['arm', nameOf(view.arm), view.arm !== usual.arm],
    ['versus', nameOf(view.versus), view.versus !== usual.versus],
    ['hide', view.hidden.map(nameOf).join('|'), view.hidden.join() !== usual.hidden.join()],
    ['average', view.average ? 'yes' : 'no', view.average !== usual.average],
    ['text', view.text, view.text !== ''],
    ['intent', view.intent, view.intent !== ''],
    ['grade', view.grade, view.grade !== ''],
    ['outcome', view.outcome, view.outcome !== ''],
    ['sort', view.sort, view.sort !== usual.sort],
  ]
  const changed = values.filter(([, , isChanged]) => isChanged).map(([key, value]) => [key, value])
  // An address that ends with # would jump to the top of the page.
  return `#${new URLSearchParams(changed).toString() || 'overview'}`
}

function viewOf(hash: string, data: ReportData): View {
  const usual = defaultView(data)
  const given = new URLSearchParams(hash.slice(1))
  const place = (key: string, names: readonly string[], otherwise: number) => {
    const found = names.indexOf(given.get(key) ?? '')
    return found < 0 ? otherwise : found
  }
  const arms = data.arms.map(({ name }) => name)
  const set = given.get('set')
  const setPlace = data.sets.findIndex(({ name }) => name === set)
  const budget = Number(given.get('budget'))
  return {
    q: given.get('q'),
    measure: place(
      'measure',
      data.measures.map(({ name }) => name),
      usual.measure,
    ),
    set: set === null ? usual.set : setPlace < 0 ? null : setPlace,
    budget: data.budgets.includes(budget) ? budget : usual.budget,
    arm: place('arm', arms, usual.arm),
    versus: place('versus', arms, usual.versus),
    hidden: given.has('hide') ? placesOf(given.get('hide') ?? '', arms) : usual.hidden,
    average: given.get('average') !== 'no',
    text: given.get('text') ?? '',
    intent: given.get('intent') ?? '',
    grade: given.get('grade') ?? '',
    outcome: given.get('outcome') ?? '',
    sort: given.get('sort') ?? usual.sort,
  }
}

/** Of many arms only those with details are drawn; the reader chooses others. */
function hiddenAtFirst({ arms, detailArms }: ReportData): number[] {
  return arms.flatMap((_, arm) => (detailArms.includes(arm) ? [] : [arm]))
}

function placesOf(names: string, arms: readonly string[]): number[] {
  return names.split('|').flatMap(name => (arms.includes(name) ? [arms.indexOf(name)] : []))
}

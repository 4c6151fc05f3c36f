import { useState } from 'preact/hooks'
import { Section, Select } from '../../../../../web/page/controls.tsx'
import { DataTable } from '../../../../../web/page/data-table.tsx'
import type { QueryRow } from '../../report-data.ts'
import { ArmSelect, BudgetSelect, MeasureSelect, SetSelect } from '../shared/controls.tsx'
import { addressOf, shortened, shown, shownDifference } from '../shared/figures.ts'
import { useFigures, useReport } from '../shared/view.ts'
import { QueryLink } from './extremes.tsx'

/** Rows that are shown at first; more would make the page slow on large sets. */
const PAGE = 100

/** All queries, with a search and filters. */
export function QueriesPart() {
  const { data, view, measure, go } = useReport()
  const [pages, setPages] = useState(1)
  const { figure, gain } = useFigures()
  const found = data.queries.filter(query => matches(query, gain(query)))
  const sorted = view.sort === 'order' ? found : [...found].sort(comparison(view.sort))
  const shownRows = sorted.slice(0, pages * PAGE)
  const values = (of: (query: QueryRow) => string | null) =>
    [...new Set(data.queries.flatMap(query => of(query) ?? []))].sort()
  const armName = (arm: number) => data.arms[arm]?.name ?? ''
  return (
    <Section
      id="queries"
      title="All queries"
      lead="Each query opens with its contexts, and with the trace of every candidate."
      controls={
        <>
          <span class="control">
            <label for="search">Search</label>
            <input
              id="search"
              type="search"
              value={view.text}
              placeholder="words or id"
              onInput={event => go({ text: event.currentTarget.value })}
            />
          </span>
          <SetSelect />
          <Filter label="Intent" values={values(({ intent }) => intent)} which="intent" />
          <Filter label="Grade" values={values(({ grade }) => grade)} which="grade" />
          <Select
            label="Outcome"
            value={view.outcome}
            options={[
              ['', 'all'],
              ['won', 'won'],
              ['lost', 'lost'],
              ['equal', 'equal'],
              ['degraded', 'degraded'],
            ]}
            onChange={outcome => go({ outcome })}
          />
          <ArmSelect label="Arm" which="arm" />
          <ArmSelect label="Compared with" which="versus" />
          <MeasureSelect />
          <BudgetSelect />
          <Select
            label="Order"
            value={view.sort}
            options={[
              ['order', 'as in the set'],
              ['gain', 'largest wins first'],
              ['loss', 'largest losses first'],
              ['low', 'lowest values first'],
            ]}
            onChange={sort => go({ sort })}
          />
        </>
      }
    >
      <p class="count" role="status">
        {found.length} of {data.queries.length} queries
      </p>
      <DataTable
        caption="All queries that the filters leave"
        file="queries"
        empty="No query fits the filters."
        keyOf={query => addressOf(query, data)}
        rows={shownRows}
        columns={[
          {
            title: 'Query',
            value: query => query.query,
            cell: query => <QueryLink query={query} />,
            className: 'prose',
          },
          { title: 'Intent', cell: ({ intent }) => intent ?? '–' },
          { title: 'Grade', cell: ({ grade }) => grade ?? '–' },
          { title: 'Golds', numeric: true, cell: ({ golds }) => golds },
          ...[...new Set([view.versus, view.arm])].map(arm => ({
            title: shortened(armName(arm)),
            numeric: true,
            value: (query: QueryRow) => figure(query, arm),
            cell: (query: QueryRow) => shown(figure(query, arm), measure.unit),
          })),
          {
            title: 'Gain',
            numeric: true,
            value: gain,
            cell: query => {
              const value = gain(query)
              const verdict = value === null || value === 0 ? 'unproven' : value > 0 ? 'helps' : 'hurts'
              return <span class={`verdict ${verdict}`}>{shownDifference(value, measure.unit)}</span>
            },
          },
        ]}
      />
      {sorted.length > shownRows.length && (
        <button type="button" onClick={() => setPages(pages + 1)}>
          Show {Math.min(PAGE, sorted.length - shownRows.length)} more of {sorted.length - shownRows.length}
        </button>
      )}
    </Section>
  )

  function matches(query: QueryRow, gained: number | null): boolean {
    const words = view.text.toLowerCase().split(/\s+/u)
    const text = `${query.query} ${query.id} ${query.answer ?? ''}`.toLowerCase()
    const outcomes: Record<string, boolean> = {
      won: (gained ?? 0) > 0,
      lost: (gained ?? 0) < 0,
      equal: gained === 0,
      degraded: query.degraded.length > 0,
    }
    return (
      (view.set === null || query.set === view.set) &&
      (view.intent === '' || query.intent === view.intent) &&
      (view.grade === '' || query.grade === view.grade) &&
      (view.outcome === '' || outcomes[view.outcome] === true) &&
      words.every(word => text.includes(word))
    )
  }

  function comparison(sort: string): (left: QueryRow, right: QueryRow) => number {
    if (sort === 'gain') return (left, right) => (gain(right) ?? -Infinity) - (gain(left) ?? -Infinity)
    if (sort === 'loss') return (left, right) => (gain(left) ?? Infinity) - (gain(right) ?? Infinity)
    const value = (query: QueryRow) => figure(query, view.arm) ?? Infinity
    return (left, right) => value(left) - value(right)
  }
}

function Filter({ label, values, which }: { label: string; values: readonly string[]; which: 'intent' | 'grade' }) {
  const { view, go } = useReport()
  if (values.length === 0) return null
  const options = [['', 'all'] as const, ...values.map(value => [value, value] as const)]
  return <Select label={label} value={view[which]} options={options} onChange={value => go({ [which]: value })} />
}

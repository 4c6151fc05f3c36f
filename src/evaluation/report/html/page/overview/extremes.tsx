import { Section } from '../../../../../web/page/controls.tsx'
import { DataTable } from '../../../../../web/page/data-table.tsx'
import type { QueryRow } from '../../report-data.ts'
import { ArmName, ArmSelect, BudgetSelect, MeasureSelect, SetSelect } from '../shared/controls.tsx'
import { addressOf, differenceUnit, shown, shownDifference } from '../shared/figures.ts'
import { useFigures, useReport } from '../shared/view.ts'

const MOST = 20

interface Gain {
  query: QueryRow
  gain: number
}

/** The largest wins and losses between two arms. */
export function ExtremesPart() {
  const { data, view, measure } = useReport()
  const { figure, gain: gainOf } = useFigures()
  const gains: Gain[] = data.queries
    .filter(({ set }) => view.set === null || set === view.set)
    .flatMap(query => {
      const gain = gainOf(query)
      return gain === null ? [] : [{ query, gain }]
    })
  const wins = gains.filter(({ gain }) => gain > 0).sort((left, right) => right.gain - left.gain)
  const losses = gains.filter(({ gain }) => gain < 0).sort((left, right) => left.gain - right.gain)
  return (
    <Section
      id="extremes"
      title="Wins and losses"
      lead={
        <>
          <ArmName arm={view.arm} short /> beside <ArmName arm={view.versus} short />: {wins.length} queries won,{' '}
          {losses.length} lost, {gains.length - wins.length - losses.length} equal. A query opens with both contexts
          side by side.
        </>
      }
      controls={
        <>
          <ArmSelect label="Arm" which="arm" />
          <ArmSelect label="Compared with" which="versus" />
          <MeasureSelect />
          <BudgetSelect />
          <SetSelect />
        </>
      }
    >
      <div class="two">
        <div>
          <h3>Largest wins</h3>
          <GainTable gains={wins.slice(0, MOST)} kind="wins" />
        </div>
        <div>
          <h3>Largest losses</h3>
          <GainTable gains={losses.slice(0, MOST)} kind="losses" />
        </div>
      </div>
    </Section>
  )

  function GainTable({ gains: rows, kind }: { gains: readonly Gain[]; kind: 'wins' | 'losses' }) {
    return (
      <DataTable
        caption={`The largest ${kind} in ${measure.title}, ${differenceUnit(measure.unit)}`}
        file={kind}
        empty={view.arm === view.versus ? 'Choose two different arms.' : `There are no ${kind}.`}
        keyOf={({ query }) => addressOf(query, data)}
        rows={rows}
        columns={[
          {
            title: 'Query',
            value: ({ query }) => query.query,
            cell: ({ query }) => <QueryLink query={query} />,
            className: 'prose',
          },
          {
            title: 'From → to',
            numeric: true,
            value: ({ query }) => `${figure(query, view.versus)} to ${figure(query, view.arm)}`,
            cell: ({ query }) => (
              <span class="nowrap">
                {shown(figure(query, view.versus), measure.unit)} → {shown(figure(query, view.arm), measure.unit)}
              </span>
            ),
          },
          {
            title: 'Gain',
            numeric: true,
            value: ({ gain }) => gain,
            cell: ({ gain }) => (
              <span class={`verdict ${gain > 0 ? 'helps' : 'hurts'}`}>{shownDifference(gain, measure.unit)}</span>
            ),
          },
        ]}
      />
    )
  }
}

export function QueryLink({ query }: { query: QueryRow }) {
  const { data, linkTo } = useReport()
  return (
    <>
      <a href={linkTo({ q: addressOf(query, data) })} dir="auto">
        {query.query}
      </a>
      <small>{addressOf(query, data)}</small>
    </>
  )
}

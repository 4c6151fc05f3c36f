import * as Plot from '@observablehq/plot'
import { Section, Select } from '../../../../../web/page/controls.tsx'
import { DataTable } from '../../../../../web/page/data-table.tsx'
import type { Estimate, ReportData, Verdict } from '../../report-data.ts'
import { BudgetSelect, MeasureSelect, SetSelect, VerdictText } from '../shared/controls.tsx'
import { differenceUnit, scaled, shortened, shown, shownDifference } from '../shared/figures.ts'
import { VERDICTS } from '../shared/palette.ts'
import { PlotFigure } from '../shared/plot-figure.tsx'
import { useReport, type View } from '../shared/view.ts'

interface Row extends Estimate {
  name: string
  meaning: string | null
  group: string | null
  verdict: Verdict
}

const ROW_PIXELS = 26

/** Effects of rules, when the replay was an ablation. */
export function AblationPart() {
  const { data, view, measure } = useReport()
  if (!data.ablation) return null
  const set = view.set === null || data.sets.length === 1 ? null : (data.sets[view.set]?.name ?? null)
  const ofMeasure = data.ablation.filter(row => row.measure === measure.name)
  const own = ofMeasure.filter(row => row.set === set)
  const rows = (own.length > 0 || set !== null ? own : ofMeasure)
    .map(({ rule, meaning, kind, ...row }) => ({ ...row, name: rule, meaning, group: kind }))
    .sort((left, right) => right.mean - left.mean)
  return (
    <Section
      id="ablation"
      title="What each rule does"
      lead={`The difference in ${measure.title} with the rule minus without it, and its 95 % interval. Off alone: the plan, and the plan without the rule. On alone: a bare plan with only this rule, and the bare plan.`}
      controls={
        <>
          <MeasureSelect />
          <SetSelect />
        </>
      }
    >
      <Forest rows={rows} what="rule" name="ablation" />
    </Section>
  )
}

/** Differences of arms to the reference. */
export function EffectsPart() {
  const { data, view, measure, go } = useReport()
  const reference = data.arms[data.reference]?.name ?? ''
  const rows = effectRows(data, view)
  return (
    <Section
      id="effects"
      title={`Differences to ${shortened(reference, 40)}`}
      lead={`The difference in ${measure.title} to the arm ${reference}, by query, with its 95 % interval. An interval that contains 0 proves nothing.`}
      controls={
        <>
          <MeasureSelect />
          <SetSelect />
          <Select
            label="Budgets"
            value={view.average ? 'all' : 'one'}
            options={[
              ['all', 'mean over all budgets'],
              ['one', 'one budget'],
            ]}
            onChange={value => go({ average: value === 'all' })}
          />
          {!view.average && <BudgetSelect />}
        </>
      }
    >
      <Forest rows={rows} what="arm" name="effects" />
    </Section>
  )
}

function effectRows(data: ReportData, view: View): Row[] {
  const budget = view.average ? null : view.budget
  return data.effects
    .filter(effect => effect.measure === view.measure && effect.set === view.set && effect.budget === budget)
    .map(effect => ({ ...effect, name: data.arms[effect.arm]?.name ?? '', meaning: null, group: null }))
}

function Forest({ rows, what, name }: { rows: readonly Row[]; what: string; name: string }) {
  const { measure } = useReport()
  const groups = [...new Set(rows.map(({ group }) => group))]
  const unit = differenceUnit(measure.unit)
  const x = (value: number) => scaled(value, measure.unit)
  const options = (width: number) => ({
    height: 70 + groups.length * 34 + rows.length * ROW_PIXELS,
    marginLeft: Math.min(250, Math.round(width * 0.35)),
    marginRight: groups.length > 1 ? 76 : 24,
    marginBottom: 40,
    x: { label: `difference in ${measure.title}, ${unit} →`, grid: true, nice: true },
    y: {
      label: null,
      domain: [...new Set(rows.map(row => row.name))],
      tickFormat: (text: string) => shortened(text, Math.min(34, Math.round(width * 0.045))),
      tickSize: 0,
    },
    ...(groups.length > 1 && { fy: { label: null, domain: groups } }),
    marks: [
      Plot.ruleX([0], { stroke: 'currentColor', strokeWidth: 1.25, className: 'zero' }),
      ...Object.entries(VERDICTS).flatMap(([verdict, { colour, symbol }]) => {
        const own = rows.filter(row => row.verdict === verdict)
        const place = { y: 'name', ...(groups.length > 1 && { fy: 'group' }) }
        return [
          Plot.ruleY(own, {
            ...place,
            x1: ({ low }: Row) => x(low),
            x2: ({ high }: Row) => x(high),
            stroke: colour,
            strokeWidth: 2.5,
            className: 'interval',
          }),
          Plot.dot(own, {
            ...place,
            x: ({ mean }: Row) => x(mean),
            fill: colour,
            symbol,
            r: 6,
            stroke: 'var(--card)',
            className: 'point',
          }),
        ]
      }),
      Plot.tip(
        rows,
        Plot.pointerY({
          x: ({ mean }: Row) => x(mean),
          y: 'name',
          ...(groups.length > 1 && { fy: 'group' }),
          title: (row: Row) => `${row.name}: ${row.verdict}\n${intervalText(row)}`,
          fill: 'var(--card)',
          stroke: 'var(--line)',
        }),
      ),
    ],
  })
  const intervalText = ({ mean, low, high }: Estimate) =>
    `${shownDifference(mean, measure.unit)} [${shownDifference(low, measure.unit)}, ${shownDifference(high, measure.unit)}]`
  if (rows.length === 0)
    return (
      <p class="empty">
        No {what} has a difference in {measure.title}.
      </p>
    )
  return (
    <div class="beside">
      <div>
        <PlotFigure
          name={name}
          label={`Forest plot: the difference of each ${what} in ${measure.title}, with intervals and a line at zero. The table after it has the same figures.`}
          options={options}
          of={[rows]}
        />
        <p class="legend">
          {(Object.keys(VERDICTS) as Verdict[]).map(verdict => (
            <VerdictText key={verdict} verdict={verdict}>
              {verdict}
            </VerdictText>
          ))}
        </p>
      </div>
      <DataTable
        caption={`Difference of each ${what} in ${measure.title}, ${unit}`}
        file={`${name}-${measure.name}`}
        keyOf={row => `${row.group} ${row.name}`}
        rows={rows}
        columns={[
          {
            title: what === 'rule' ? 'Rule' : 'Arm',
            value: row => row.name,
            cell: row => <span title={row.meaning ?? row.name}>{shortened(row.name, 34)}</span>,
          },
          ...(groups.length > 1 ? [{ title: 'How', cell: (row: Row) => row.group ?? '' }] : []),
          {
            title: `Difference, ${unit}`,
            numeric: true,
            value: row => row.mean,
            cell: row => shownDifference(row.mean, measure.unit),
          },
          {
            title: '95 % interval',
            numeric: true,
            value: row => `${shown(row.low, measure.unit)} to ${shown(row.high, measure.unit)}`,
            cell: row => `${shownDifference(row.low, measure.unit)} to ${shownDifference(row.high, measure.unit)}`,
          },
          {
            title: 'Verdict',
            value: row => row.verdict,
            cell: row => <VerdictText verdict={row.verdict}>{row.verdict}</VerdictText>,
          },
        ]}
      />
    </div>
  )
}

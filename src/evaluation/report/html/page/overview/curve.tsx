import * as Plot from '@observablehq/plot'
import { Section } from '../../../../../web/page/controls.tsx'
import { type Column, DataTable } from '../../../../../web/page/data-table.tsx'
import type { Curve, Estimate, MeasureFacts } from '../../report-data.ts'
import { ArmName, MeasureSelect, SetSelect } from '../shared/controls.tsx'
import { axisUnit, capitalised, scaled, shown, withThousands } from '../shared/figures.ts'
import { armStyle } from '../shared/palette.ts'
import { PlotFigure } from '../shared/plot-figure.tsx'
import { useReport } from '../shared/view.ts'

interface Point extends Estimate {
  arm: number
  budget: number
}

export function CurvePart() {
  const { data, view, measure, go } = useReport()
  const curves = data.curves.filter(curve => curve.measure === view.measure && curve.set === view.set)
  const visible = curves.filter(({ arm }) => !view.hidden.includes(arm))
  const points = visible.flatMap(curve => pointsOf(curve, data.budgets))
  const knees = visible.flatMap(curve => pointsOf(curve, data.budgets).filter(({ budget }) => budget === curve.knee))
  const y = (value: number) => scaled(value, measure.unit)
  const label = `${measure.title} by token budget, one line for each of ${visible.length} arms, with 95 % intervals. The table after it has the same figures.`

  const marks = visible.flatMap(({ arm }) => {
    const own = points.filter(point => point.arm === arm)
    const { colour, symbol, dash } = armStyle(arm, data)
    return [
      Plot.areaY(own, {
        x: 'budget',
        y1: ({ low }: Point) => y(low),
        y2: ({ high }: Point) => y(high),
        fill: colour,
        fillOpacity: visible.length > 5 ? 0.06 : 0.13,
        className: 'band',
      }),
      Plot.lineY(own, {
        x: 'budget',
        y: ({ mean }: Point) => y(mean),
        stroke: colour,
        strokeWidth: 2.25,
        strokeDasharray: dash,
        className: 'curve',
      }),
      Plot.dot(own, {
        x: 'budget',
        y: ({ mean }: Point) => y(mean),
        fill: colour,
        symbol,
        r: 4.5,
        stroke: 'var(--card)',
        strokeWidth: 1.25,
        className: 'point',
      }),
    ]
  })
  const options = () => ({
    height: 400,
    marginLeft: 46,
    marginBottom: 42,
    marginTop: 28,
    x: {
      type: data.budgets.length > 1 ? ('log' as const) : ('point' as const),
      ticks: data.budgets,
      tickFormat: (budget: number) => withThousands(budget),
      label: 'token budget (logarithmic) →',
    },
    y: {
      grid: true,
      label: `↑ ${measure.title}, ${axisUnit(measure.unit)}`,
      ...domainOf(points, measure.unit),
    },
    marks: [
      ...marks,
      Plot.dot(knees, {
        x: 'budget',
        y: ({ mean }: Point) => y(mean),
        r: 9,
        stroke: 'currentColor',
        strokeWidth: 1.5,
        className: 'knee',
      }),
      Plot.tip(
        points,
        Plot.pointer({
          x: 'budget',
          y: ({ mean }: Point) => y(mean),
          title: ({ arm, budget, mean, low, high }: Point) =>
            `${data.arms[arm]?.name}\n${withThousands(budget)} tokens: ${shown(mean, measure.unit)}\n95 % interval ${shown(low, measure.unit)} to ${shown(high, measure.unit)}`,
          fill: 'var(--card)',
          stroke: 'var(--line)',
        }),
      ),
    ],
  })
  return (
    <Section
      id="curve"
      title={`${capitalised(measure.title)} over budget`}
      lead={
        <>
          {capitalised(measure.meaning)}. {measure.better === 'higher' ? 'Higher' : 'Lower'} is better. Bands are 95 %
          intervals, point by point. A ring marks the knee: from that budget on, more tokens add little.
        </>
      }
      controls={
        <>
          <MeasureSelect />
          <SetSelect />
        </>
      }
    >
      <div class="beside narrow">
        <PlotFigure name="curve" label={label} options={options} of={[view.measure, view.set, view.hidden.join()]} />
        <DataTable
          caption={`${measure.title} by arm and budget, with 95 % intervals`}
          file={`${measure.name}-over-budget`}
          keyOf={({ arm }) => String(arm)}
          rows={curves}
          columns={[
            {
              title: 'Arm',
              value: ({ arm }) => data.arms[arm]?.name ?? '',
              cell: ({ arm }) => (
                <label class="tick">
                  <input
                    type="checkbox"
                    class="no-print"
                    checked={!view.hidden.includes(arm)}
                    onChange={() => go({ hidden: toggled(view.hidden, arm) })}
                  />
                  <ArmName arm={arm} short />
                </label>
              ),
            },
            ...data.budgets.map(
              (budget, place): Column<Curve> => ({
                title: withThousands(budget),
                numeric: true,
                value: ({ points: all }) => all[place]?.mean ?? null,
                cell: ({ points: all, knee }) => <Cell estimate={all[place] ?? null} isKnee={knee === budget} />,
              }),
            ),
          ]}
        />
      </div>
    </Section>
  )

  function Cell({ estimate, isKnee }: { estimate: Estimate | null; isKnee: boolean }) {
    if (!estimate) return <>–</>
    const [low, high] = [estimate.low, estimate.high].map(end => shown(end, measure.unit).replace(' %', ''))
    return (
      <>
        <span class={isKnee ? 'knee-value' : undefined}>
          {shown(estimate.mean, measure.unit)}
          {isKnee && <span class="hidden"> (knee)</span>}
        </span>
        <small>
          {low}–{high}
        </small>
      </>
    )
  }
}

/** Shares end at 100 %, whatever a round axis would add. */
function domainOf(points: readonly Point[], unit: MeasureFacts['unit']): { domain?: [number, number]; nice?: boolean } {
  if (points.length === 0) return { domain: [0, 1] }
  if (unit !== 'share') return { nice: true }
  const [low, high] = [Math.min(...points.map(point => point.low)), Math.max(...points.map(point => point.high))]
  return { domain: [Math.floor(low * 10) * 10, Math.min(100, Math.floor(high * 10) * 10 + 10)] }
}

function pointsOf({ points, arm }: Curve, budgets: readonly number[]): Point[] {
  return points.flatMap((point, place) => (point ? [{ ...point, arm, budget: budgets[place] ?? 0 }] : []))
}

function toggled(list: readonly number[], item: number): number[] {
  return list.includes(item) ? list.filter(other => other !== item) : [...list, item]
}

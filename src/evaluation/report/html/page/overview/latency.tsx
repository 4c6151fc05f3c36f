import * as Plot from '@observablehq/plot'
import { Section } from '../../../../../web/page/controls.tsx'
import { DataTable } from '../../../../../web/page/data-table.tsx'
import type { StageTime } from '../../report-data.ts'
import { ArmName } from '../shared/controls.tsx'
import { shown } from '../shared/figures.ts'
import { armStyle } from '../shared/palette.ts'
import { PlotFigure } from '../shared/plot-figure.tsx'
import { useReport } from '../shared/view.ts'

/** A logarithmic axis has no 0. */
const SHORTEST_MS = 0.01

export function LatencyPart() {
  const { data, view } = useReport()
  const times = data.latency.filter(({ arm }) => !view.hidden.includes(arm))
  const order = [...Object.keys(data.sentences.stages), 'total']
  const stages = [...new Set(times.map(({ stage }) => stage))].sort(
    (left, right) => (order.indexOf(left) + 1 || 99) - (order.indexOf(right) + 1 || 99),
  )
  const arms = [...new Set(times.map(({ arm }) => arm))]
  const at = (value: number) => Math.max(SHORTEST_MS, value)
  const rowPixels = arms.length > 6 ? 9 : 13
  const options = () => ({
    height: 60 + stages.length * (arms.length * rowPixels + 12),
    marginLeft: 92,
    marginRight: 16,
    marginBottom: 40,
    x: {
      type: 'log' as const,
      label: 'milliseconds (logarithmic) →',
      grid: true,
      tickFormat: '~g',
      nice: true,
      ...(times.length === 0 && { domain: [1, 10] }),
    },
    y: { axis: null, domain: arms, padding: 0.3 },
    fy: { domain: stages, label: null, padding: 0.15, axis: 'left' as const },
    marks: [
      Plot.frame({ stroke: 'var(--line)', fill: 'none' }),
      ...arms.flatMap(arm => {
        const own = times.filter(time => time.arm === arm)
        const { colour, symbol } = armStyle(arm, data)
        const place = { fy: 'stage', y: 'arm' }
        return [
          Plot.ruleY(own, {
            ...place,
            x1: ({ p50 }: StageTime) => at(p50),
            x2: ({ p95 }: StageTime) => at(p95),
            stroke: colour,
            strokeWidth: 2,
            className: 'range',
          }),
          Plot.dot(own, { ...place, x: ({ p50 }: StageTime) => at(p50), fill: colour, symbol, r: 4, className: 'p50' }),
          Plot.dot(own, {
            ...place,
            x: ({ p95 }: StageTime) => at(p95),
            fill: 'var(--card)',
            stroke: colour,
            strokeWidth: 1.75,
            symbol,
            r: 4,
            className: 'p95',
          }),
        ]
      }),
    ],
  })
  const rows = stages.flatMap(stage => times.filter(time => time.stage === stage))
  return (
    <Section
      id="latency"
      title="Time of each stage"
      lead="Filled: the median. Open: the 95th percentile. Over all queries and budgets of an arm, on the machine of the replay. Times below 0.01 ms are drawn at 0.01."
    >
      <div class="beside">
        <PlotFigure
          name="latency"
          label={`Median and 95th percentile of ${stages.length} stages for ${arms.length} arms. The table after it has the same figures.`}
          options={options}
          of={[view.hidden.join()]}
        />
        <div>
          <p class="legend">
            {arms.map(arm => (
              <ArmName key={arm} arm={arm} short />
            ))}
          </p>
          <DataTable
            caption="Time of each stage by arm, milliseconds"
            file="latency"
            keyOf={({ stage, arm }) => `${stage} ${arm}`}
            rows={rows}
            rowClass={({ arm }) => (arm === arms[0] ? 'first-of-group' : undefined)}
            columns={[
              {
                title: 'Stage',
                value: ({ stage }) => stage,
                cell: ({ stage, arm }) => <span class={arm === arms[0] ? undefined : 'repeated'}>{stage}</span>,
              },
              {
                title: 'Arm',
                value: ({ arm }) => data.arms[arm]?.name ?? '',
                cell: ({ arm }) => <ArmName arm={arm} short />,
              },
              { title: 'p50', numeric: true, value: ({ p50 }) => p50, cell: ({ p50 }) => shown(p50, 'ms') },
              { title: 'p95', numeric: true, value: ({ p95 }) => p95, cell: ({ p95 }) => shown(p95, 'ms') },
            ]}
          />
        </div>
      </div>
    </Section>
  )
}

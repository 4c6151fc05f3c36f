import * as Plot from '@observablehq/plot'
import type { ComponentChildren } from 'preact'
import { Section } from '../../../../../web/page/controls.tsx'
import { DataTable } from '../../../../../web/page/data-table.tsx'
import { Sentence } from '../../../../../web/page/sentence.tsx'
import type { ReportData, Waterfall } from '../../report-data.ts'
import { withThousands } from './figures.ts'
import { PlotFigure } from './plot-figure.tsx'
import { useReport } from './view.ts'

interface Step {
  code: string
  kind: 'in' | 'dropped' | 'packed'
  count: number
  from: number
  to: number
  meaning: string
}

const COLOURS = { in: 'var(--arm-0)', dropped: 'var(--bad)', packed: 'var(--good)' }

interface WaterfallSectionProps {
  title: string
  lead: string
  controls: ComponentChildren
  waterfall: Waterfall | null
  /** What the candidates are of. */
  of: string
  /** Shown without a waterfall. */
  missing: string
}

/** What came in, where it was dropped, and what is in the context. */
export function WaterfallSection({ title, lead, controls, waterfall, of, missing }: WaterfallSectionProps) {
  const { view } = useReport()
  return (
    <Section id="waterfall" title={title} lead={lead} controls={controls}>
      {waterfall ? (
        <>
          <TokenGauge used={waterfall.used} budget={view.budget} />
          <WaterfallFigure waterfall={waterfall} of={of} />
        </>
      ) : (
        <p class="empty">{missing}</p>
      )}
    </Section>
  )
}

function WaterfallFigure({ waterfall, of }: { waterfall: Waterfall; of: string }) {
  const { data } = useReport()
  const steps = stepsOf(waterfall, data)
  const number = (value: number) => (Number.isInteger(value) ? withThousands(value) : value.toFixed(1))
  const options = () => ({
    height: 54 + steps.length * 30,
    marginLeft: 108,
    marginRight: 48,
    marginBottom: 38,
    x: { label: 'candidates →', grid: true, nice: true },
    y: { domain: steps.map(({ code }) => code), label: null, tickSize: 0, padding: 0.28 },
    marks: [
      Plot.barX(steps, {
        y: 'code',
        x1: 'from',
        x2: 'to',
        fill: ({ kind }: Step) => COLOURS[kind],
        title: ({ code, count, meaning }: Step) => `${code}: ${number(count)}\n${meaning}`,
        className: 'bar',
      }),
      Plot.text(steps, {
        y: 'code',
        x: ({ from, to }: Step) => Math.max(from, to),
        text: ({ kind, count }: Step) => `${kind === 'dropped' ? '−' : ''}${number(count)}`,
        textAnchor: 'start',
        dx: 6,
        fill: 'currentColor',
        fontWeight: 600,
      }),
      Plot.ruleX([0], { stroke: 'var(--line)' }),
    ],
  })
  return (
    <div class="beside">
      <PlotFigure
        name="waterfall"
        label={`Waterfall of the candidates of ${of}: how many came in, how many each reason dropped, how many were packed. The table after it has the same figures.`}
        options={options}
        of={[JSON.stringify(steps)]}
      />
      <DataTable
        caption={`Candidates of ${of}`}
        file="waterfall"
        keyOf={({ code }) => code}
        rows={steps}
        columns={[
          { title: 'Step', cell: ({ code }) => code },
          {
            title: 'Candidates',
            numeric: true,
            value: ({ count }) => count,
            cell: ({ kind, count }) => `${kind === 'dropped' ? '−' : ''}${number(count)}`,
          },
          {
            title: 'Meaning',
            value: ({ meaning }) => meaning,
            cell: ({ meaning }) => <Sentence text={meaning} />,
            className: 'prose',
          },
        ]}
      />
    </div>
  )
}

function stepsOf({ retrieved, neighbours, parents, dropped, packed }: Waterfall, { sentences }: ReportData): Step[] {
  const steps: Step[] = []
  let left = 0
  const added = [
    { code: 'retrieved', count: retrieved, meaning: 'Candidates that the searches found.' },
    { code: 'neighbours', count: neighbours, meaning: 'Candidates that were fetched as neighbours of others.' },
    { code: 'parents', count: parents, meaning: 'Parents that are packed in place of candidates.' },
  ]
  for (const { code, count, meaning } of added) {
    if (count === 0 && code !== 'retrieved') continue
    steps.push({ code, kind: 'in', count, from: left, to: left + count, meaning })
    left += count
  }
  for (const [code, meaning] of Object.entries(sentences.dropReasons)) {
    const count = dropped[code] ?? 0
    if (count === 0) continue
    steps.push({ code, kind: 'dropped', count, from: left - count, to: left, meaning })
    left -= count
  }
  const meaning = 'Candidates in the context.'
  return [...steps, { code: 'packed', kind: 'packed', count: packed, from: 0, to: packed, meaning }]
}

/** Tokens of the context beside the budget. */
function TokenGauge({ used, budget }: { used: number; budget: number }) {
  const share = budget === 0 ? 0 : used / budget
  return (
    <div class="gauge">
      <span>
        <b>{withThousands(used)}</b> of {withThousands(budget)} tokens used ({(share * 100).toFixed(0)} %)
      </span>
      <div class="gauge-bar" aria-hidden="true">
        <div class={share > 1 ? 'over' : undefined} style={{ width: `${Math.min(100, share * 100)}%` }} />
      </div>
    </div>
  )
}

/** The mean of several runs. Null without runs. */
export function meanWaterfall(waterfalls: readonly Waterfall[]): Waterfall | null {
  if (waterfalls.length === 0) return null
  const meanOf = (value: (waterfall: Waterfall) => number) =>
    waterfalls.reduce((sum, waterfall) => sum + value(waterfall), 0) / waterfalls.length
  const codes = [...new Set(waterfalls.flatMap(({ dropped }) => Object.keys(dropped)))]
  return {
    retrieved: meanOf(({ retrieved }) => retrieved),
    neighbours: meanOf(({ neighbours }) => neighbours),
    parents: meanOf(({ parents }) => parents),
    dropped: Object.fromEntries(codes.map(code => [code, meanOf(({ dropped }) => dropped[code] ?? 0)])),
    packed: meanOf(({ packed }) => packed),
    used: meanOf(({ used }) => used),
  }
}

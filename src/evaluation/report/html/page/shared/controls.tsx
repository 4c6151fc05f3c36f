import type { ComponentChildren } from 'preact'
import { Select } from '../../../../../web/page/controls.tsx'
import type { Verdict } from '../../report-data.ts'
import { shortened, withThousands } from './figures.ts'
import { armStyle, VERDICTS } from './palette.ts'
import { useReport } from './view.ts'

export function MeasureSelect() {
  const { data, view, go } = useReport()
  const options = data.measures.map(({ title }, index) => [index, title] as const)
  return <Select label="Measure" value={view.measure} options={options} onChange={measure => go({ measure })} />
}

/** All sets, or one; nothing when there is only one. */
export function SetSelect() {
  const { data, view, go } = useReport()
  if (data.sets.length < 2) return null
  const options = [
    [-1, 'all, with equal weights'] as const,
    ...data.sets.map(({ name }, index) => [index, name] as const),
  ]
  return (
    <Select label="Set" value={view.set ?? -1} options={options} onChange={set => go({ set: set < 0 ? null : set })} />
  )
}

export function BudgetSelect() {
  const { data, view, go } = useReport()
  const options = data.budgets.map(budget => [budget, `${withThousands(budget)} tokens`] as const)
  return <Select label="Budget" value={view.budget} options={options} onChange={budget => go({ budget })} />
}

export function ArmSelect({ label, which }: { label: string; which: 'arm' | 'versus' }) {
  const { data, view, go } = useReport()
  const options = data.arms.map(({ name }, index) => [index, shortened(name, 60)] as const)
  return <Select label={label} value={view[which]} options={options} onChange={arm => go({ [which]: arm })} />
}

/** The name of an arm with its colour and shape, as the plots use them. */
export function ArmName({ arm, short }: { arm: number; short?: boolean }) {
  const { data } = useReport()
  const name = data.arms[arm]?.name ?? ''
  return (
    <span class="arm" title={name}>
      <ArmSign arm={arm} />
      {short ? shortened(name) : name}
    </span>
  )
}

/** A verdict in its colour, behind its sign. */
export function VerdictText({ verdict, children }: { verdict: Verdict; children: ComponentChildren }) {
  return (
    <span class={`verdict ${verdict}`}>
      <span aria-hidden="true">{VERDICTS[verdict].sign}</span> {children}
    </span>
  )
}

const SHAPES: Record<string, string> = {
  circle: 'M6 1.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9z',
  square: 'M2 2h8v8h-8z',
  triangle: 'M6 1l5 9h-10z',
  diamond: 'M6 .5l4.2 5.5l-4.2 5.5l-4.2-5.5z',
  star: 'M6 .5l1.5 3.6l4 .3l-3 2.6l.9 3.9l-3.4-2.1l-3.4 2.1l.9-3.9l-3-2.6l4-.3z',
  wye: 'M4.6 11v-3.6l-3.1-1.8l1.4-2.4l3.1 1.8l3.1-1.8l1.4 2.4l-3.1 1.8v3.6z',
  hexagon: 'M6 1l4.3 2.5v5l-4.3 2.5l-4.3-2.5v-5z',
}

function ArmSign({ arm }: { arm: number }) {
  const { data } = useReport()
  const { colour, symbol } = armStyle(arm, data)
  return (
    <svg class="sign" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={SHAPES[symbol]} fill={colour} />
    </svg>
  )
}

import type { ReportData } from '../../report-data.ts'

/** After Okabe and Ito, who chose colours that colour-blind readers can tell apart; page.css has them for light and dark. */
const COLOURS = 6
const SYMBOLS = ['circle', 'square', 'triangle', 'diamond', 'star', 'wye', 'hexagon'] as const
const DASHES = [undefined, '6 3', '2 3'] as const

export interface ArmStyle {
  colour: string
  symbol: (typeof SYMBOLS)[number]
  dash: string | undefined
}

/** An arm differs from the others in colour and shape. The reference is grey and dashed. */
export function armStyle(arm: number, { reference, arms }: Pick<ReportData, 'reference' | 'arms'>): ArmStyle {
  if (arm === reference && arms.length > 1) return { colour: 'var(--reference)', symbol: 'square', dash: '4 3' }
  const place = arm > reference ? arm - 1 : arm
  return {
    colour: `var(--arm-${place % COLOURS})`,
    symbol: SYMBOLS[place % SYMBOLS.length] ?? 'circle',
    dash: DASHES[Math.floor(place / COLOURS) % DASHES.length],
  }
}

export const VERDICTS = {
  helps: { colour: 'var(--good)', symbol: 'triangle', sign: '▲' },
  hurts: { colour: 'var(--bad)', symbol: 'diamond', sign: '◆' },
  unproven: { colour: 'var(--reference)', symbol: 'circle', sign: '●' },
} as const

import { kneeOfCurve } from '../../../metrics/context.ts'
import { MEASURES, type MeasureName } from '../../../metrics/measures.ts'
import type { Figure, ReplaySummary, SliceSummary } from '../../../summary/summary.ts'
import { AVERAGE } from '../../../summary/summary.ts'
import type { Curve, Effect, Estimate, StageTime } from '../report-data.ts'

/** The means of all measures by budget, with pointwise intervals. */
export function curvesOf(summary: ReplaySummary): Curve[] {
  return figuresOf(summary).map(({ measure, name, arm, set, at }) => {
    const points = summary.budgets.map(budget => estimateOf(at[budget]))
    return { measure, arm, set, points, knee: kneeOf(summary.budgets, points, name) }
  })
}

/** The differences of all arms to the reference, at each budget and on average. */
export function effectsOf(summary: ReplaySummary): Effect[] {
  return figuresOf(summary).flatMap(({ measure, arm, set, at }) =>
    [null, ...summary.budgets].flatMap(budget => {
      const against = at[budget ?? AVERAGE]?.against
      if (!against) return []
      const { mean, low, high } = against.difference
      return [{ measure, arm, set, budget, mean, low, high, verdict: against.verdict }]
    }),
  )
}

/** Median and 95th percentile of each stage over all queries and budgets of an arm, and of the whole. */
export function stageTimesOf({ slices, arms }: ReplaySummary): StageTime[] {
  const all = slices.find(({ by }) => by === 'all')
  return (all?.arms ?? []).flatMap(({ arm, latency }) =>
    Object.entries(latency).map(([stage, { p50, p95 }]) => ({ arm: arms.indexOf(arm), stage, p50, p95 })),
  )
}

interface PlacedFigures {
  measure: number
  name: MeasureName
  arm: number
  set: number | null
  /** By budget and `average`. */
  at: Readonly<Record<string, Figure>>
}

/** The figures on all queries and by set. The only set of a replay is the same as all queries. */
function figuresOf({ slices, measures, arms, sets }: ReplaySummary): PlacedFigures[] {
  const placeOf = ({ by, value }: SliceSummary) =>
    by === 'set' ? sets.findIndex(({ name }) => name === value) : sets.length === 1 ? 0 : null
  return slices
    .filter(({ by }) => by === 'all' || by === 'set')
    .flatMap(slice =>
      slice.arms.flatMap(({ arm, figures }) =>
        measures.flatMap((name, measure) => {
          const at = figures[name]
          return at ? [{ measure, name, arm: arms.indexOf(arm), set: placeOf(slice), at }] : []
        }),
      ),
    )
}

function estimateOf(figure: Figure | undefined): Estimate | null {
  if (!figure) return null
  const { mean, interval } = figure
  return { mean, low: interval?.low ?? mean, high: interval?.high ?? mean }
}

/** Measures of which less is better have no knee: they do not rise towards the good. */
function kneeOf(budgets: readonly number[], points: readonly (Estimate | null)[], measure: MeasureName): number | null {
  if (MEASURES[measure].better === 'lower' || points.includes(null)) return null
  return kneeOfCurve(budgets.map((budget, index) => ({ budget, recall: points[index]?.mean ?? 0 })))
}

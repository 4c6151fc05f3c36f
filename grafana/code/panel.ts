import type * as cog from '@grafana/grafana-foundation-sdk/cog'
import * as common from '@grafana/grafana-foundation-sdk/common'
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard'
import * as prometheus from '@grafana/grafana-foundation-sdk/prometheus'
import * as stat from '@grafana/grafana-foundation-sdk/stat'
import * as timeseries from '@grafana/grafana-foundation-sdk/timeseries'

/** What one panel shows, and what to do about it. */
export interface Panel {
  title: string
  /** What the figures are, in one or two sentences. */
  shows: string
  /** What to do when they look bad. */
  whenBad: string
  /** A unit of Grafana, as named by the SDK. */
  unit: string
  /** Columns of 24. */
  width: number
  /** PromQL, and the name of each series. */
  queries: readonly Query[]
  /** The last value in large figures, instead of lines. */
  isStat?: true
  /** Colours from the worst good value on: `[[null, 'green'], [0.05, 'red']]`. */
  steps?: readonly (readonly [number | null, string])[]
  isStacked?: true
  max?: number
}

export type Query = readonly [expression: string, legend: string]

/** Rows of panels. All panels of a row have its height. */
export interface Row {
  title: string
  height: number
  panels: readonly Panel[]
}

/** The data source that the reader of a dashboard chooses. */
export const DATASOURCE = { type: 'prometheus', uid: '$datasource' }

/** A panel in the form that Grafana reads. */
export function buildPanel(panel: Panel, id: number, gridPos: dashboard.GridPos): cog.Builder<dashboard.Panel> {
  const builder = panel.isStat ? statPanel(panel) : linesPanel(panel)
  builder
    .id(id)
    .gridPos(gridPos)
    .title(panel.title)
    .description(`${panel.shows}\n\nWhen it looks bad: ${panel.whenBad}`)
    .datasource(DATASOURCE)
    .unit(panel.unit)
    .noValue('no data')
    .targets(
      panel.queries.map(([expression, legend], index) => query(expression, legend, index, panel.isStat === true)),
    )
  if (panel.max !== undefined) builder.min(0).max(panel.max)
  if (panel.steps) {
    const steps = panel.steps.map(([value, color]) => ({ value, color }))
    builder.thresholds(new dashboard.ThresholdsConfigBuilder().mode(dashboard.ThresholdsMode.Absolute).steps(steps))
  }
  return builder
}

function statPanel(panel: Panel) {
  return new stat.PanelBuilder()
    .graphMode(common.BigValueGraphMode.Area)
    .colorMode(panel.steps ? common.BigValueColorMode.Background : common.BigValueColorMode.None)
    .reduceOptions(new common.ReduceDataOptionsBuilder().calcs(['lastNotNull']))
}

function linesPanel(panel: Panel) {
  const builder = new timeseries.PanelBuilder()
    .legend(new common.VizLegendOptionsBuilder().showLegend(true).placement(common.LegendPlacement.Bottom))
    .tooltip(
      new common.VizTooltipOptionsBuilder().mode(common.TooltipDisplayMode.Multi).sort(common.SortOrder.Descending),
    )
    .axisSoftMin(0)
    .fillOpacity(panel.isStacked ? 30 : 5)
  if (panel.isStacked) builder.stacking(new common.StackingConfigBuilder().mode(common.StackingMode.Normal))
  if (panel.steps) {
    builder.thresholdsStyle(new common.GraphThresholdsStyleConfigBuilder().mode(common.GraphThresholdsStyleMode.Dashed))
  }
  return builder
}

/** A stat asks over the range too, for the line behind its figure. */
function query(expression: string, legend: string, index: number, isStat: boolean) {
  return new prometheus.DataqueryBuilder()
    .datasource(DATASOURCE)
    .refId(String.fromCharCode('A'.charCodeAt(0) + index))
    .expr(expression)
    .legendFormat(legend)
    .editorMode(prometheus.QueryEditorMode.Code)
    .exemplar(!isStat && /_bucket\{/u.test(expression))
    .range()
}

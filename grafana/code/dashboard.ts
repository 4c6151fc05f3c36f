import type * as cog from '@grafana/grafana-foundation-sdk/cog'
import * as dashboard from '@grafana/grafana-foundation-sdk/dashboard'
import { buildPanel, DATASOURCE, type Row } from './panel.ts'

/** A choice at the top of a dashboard, filled with the values of a label. */
export interface Choice {
  name: string
  label: string
  /** The metric whose label has the values, with a selector when they depend on other choices. */
  metric: string
  /** Several values at once, or all of them. False: exactly one. */
  isMultiple: boolean
}

export const INSTANCE: Choice = {
  name: 'instance',
  label: 'Instance',
  metric: 'stowage_build_info',
  isMultiple: true,
}

export const TENANT: Choice = {
  name: 'tenant',
  label: 'Tenant',
  metric: 'stowage_tenant_requests_total{instance=~"$instance"}',
  isMultiple: true,
}

/** One dashboard: its name stands in its address and names its file. */
export interface Definition {
  uid: string
  title: string
  description: string
  choices: readonly Choice[]
  rows: readonly Row[]
}

/**
 * The version that Grafana 12.1 knows. The SDK writes a newer one; a Grafana brings older versions up to its own, and refuses newer ones. What came
 * with the next version, hiding series from tooltips, is not used here.
 */
const SCHEMA_VERSION = 41
/** Width of Grafana's grid. */
const COLUMNS = 24

/** Builds the JSON that Grafana reads. Rows stand under each other, and panels fill a row from the left, in as many lines as they need. */
export function buildDashboard({ uid, title, description, choices, rows }: Definition): dashboard.Dashboard {
  const builder = new dashboard.DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['stowage'])
    .readonly()
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .time({ from: 'now-3h', to: 'now' })
    .refresh('30s')
    .link(linkToOthers())
    .variables([new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus')])
  for (const choice of choices) builder.withVariable(variable(choice))
  let id = 0
  let y = 0
  for (const row of rows) {
    id += 1
    builder.withRow(new dashboard.RowBuilder(row.title).id(id).gridPos({ x: 0, y, w: COLUMNS, h: 1 }))
    y += 1
    let x = 0
    for (const panel of row.panels) {
      id += 1
      if (x + panel.width > COLUMNS) {
        x = 0
        y += row.height
      }
      builder.withPanel(buildPanel(panel, id, { x, y, w: panel.width, h: row.height }))
      x += panel.width
    }
    y += row.height
  }
  return { ...builder.build(), schemaVersion: SCHEMA_VERSION }
}

function variable({ name, label, metric, isMultiple }: Choice): cog.Builder<dashboard.VariableModel> {
  const query = `label_values(${metric}, ${name})`
  const builder = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(DATASOURCE)
    .query({ query, refId: name })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc)
    .multi(isMultiple)
    .includeAll(isMultiple)
  if (isMultiple) builder.allValue('.*').current({ selected: true, text: ['All'], value: ['$__all'] })
  return builder
}

function linkToOthers(): cog.Builder<dashboard.DashboardLink> {
  return new dashboard.DashboardLinkBuilder('Other dashboards of stowage')
    .type(dashboard.DashboardLinkType.Dashboards)
    .tags(['stowage'])
    .includeVars(true)
    .keepTime(true)
}

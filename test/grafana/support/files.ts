import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

const GRAFANA = new URL('../../../grafana/', import.meta.url)

/** A file of `grafana/`, as an absolute path. */
export const pathOf = (name: string): string => fileURLToPath(new URL(name, GRAFANA))
export const readGrafana = (name: string): string => readFileSync(pathOf(name), 'utf8')
export const readYaml = <Content>(name: string): Content => parse(readGrafana(name)) as Content

export interface PanelJson {
  id: number
  type: string
  title?: string
  description?: string
  datasource?: { type?: string; uid?: string }
  gridPos: { x: number; y: number; w: number; h: number }
  fieldConfig?: { defaults: { unit?: string } }
  targets?: { refId: string; expr: string; legendFormat: string; datasource?: { uid?: string } }[]
}

export interface DashboardJson {
  uid: string
  title: string
  schemaVersion: number
  panels: PanelJson[]
  templating: { list: { name: string; type: string; definition?: string; datasource?: { uid?: string } }[] }
}

/** The dashboards as they are committed, by file name. */
export function readDashboards(): Record<string, DashboardJson> {
  const names = readdirSync(pathOf('dashboards')).sort()
  return Object.fromEntries(names.map(name => [name, JSON.parse(readGrafana(`dashboards/${name}`)) as DashboardJson]))
}

/** One query of a panel. */
export interface PanelQuery {
  /** `dashboard / panel / query`. */
  name: string
  expression: string
  legend: string
}

export function panelQueries(): PanelQuery[] {
  return Object.values(readDashboards()).flatMap(({ title, panels }) =>
    panels.flatMap(panel =>
      (panel.targets ?? []).map(({ refId, expr, legendFormat }) => ({
        name: `${title} / ${panel.title} / ${refId}`,
        expression: expr,
        legend: legendFormat,
      })),
    ),
  )
}

export interface Rule {
  record?: string
  alert?: string
  expr: string
  for?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

/** The rules of one file of `grafana/rules`. */
export function readRules(name: 'recording' | 'alerts'): Rule[] {
  return readYaml<{ groups: { rules: Rule[] }[] }>(`rules/${name}.yml`).groups.flatMap(({ rules }) => rules)
}

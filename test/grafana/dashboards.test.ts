import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { dashboardFiles } from '../../grafana/code/dashboards.ts'
import { createReporter } from '../../src/observe/events.ts'
import { createLogger } from '../../src/observe/logger.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { sampleTrace } from '../support/sample-trace.ts'
import { panelQueries, pathOf, readDashboards, readGrafana, readYaml } from './support/files.ts'
import { faultsOf, knownSeries, readExpression, withVariables } from './support/promql.ts'

const dashboards = Object.entries(readDashboards())
const queries = panelQueries()
const operations = readFileSync(pathOf('../docs/operations.md'), 'utf8')
const VARIABLES = { instance: '.*', tenant: '.*', experiment: 'e', variant: '.*', __rate_interval: '1m' }

/** Series that no dashboard shows, each with the reason. */
const NOT_SHOWN = new Map([
  ['stowage_tenants_reloads_total', 'a refused reload stands as stowage_tenants_file_refused'],
])

describe('the dashboards', () => {
  it('are what the code generates (npm run dashboards)', () => {
    const committed = dashboards.map(([name]) => [name, readGrafana(`dashboards/${name}`)])
    expect(Object.fromEntries(committed)).toEqual(dashboardFiles())
  })

  it('have identities of their own, and a version of the schema that Grafana 12.1 reads', () => {
    const uids = dashboards.map(([, { uid }]) => uid)
    expect(uids).toEqual(['stowage-overview', 'stowage-packing', 'stowage-rollout'])
    expect(dashboards.map(([, { schemaVersion }]) => schemaVersion)).toEqual([41, 41, 41])
  })

  it.each(dashboards)('%s says for each panel what it shows, in which unit, and what to do', (_name, { panels }) => {
    const shown = panels.filter(({ type }) => type !== 'row')
    expect(shown.length).toBeGreaterThan(10)
    for (const { title, description, fieldConfig, targets = [] } of shown) {
      expect(description, title).toMatch(/^\S.+\.\n\nWhen it looks bad: \S.+\.$/u)
      expect(fieldConfig?.defaults.unit, title).toMatch(/\w/u)
      expect(targets.length, title).toBeGreaterThan(0)
      expect(new Set(targets.map(({ refId }) => refId)).size, title).toBe(targets.length)
    }
    expect(new Set(shown.map(({ title }) => title)).size).toBe(shown.length)
  })

  it.each(dashboards)('%s has the rows that docs/operations.md names', (_name, { panels }) => {
    const [, ...rows] = panels
      .filter(({ type }) => type === 'row')
      .map(({ title = '' }) => title.replace(/ \(only with .+\)$/u, ''))
    for (const row of rows) expect(operations).toContain(`\n| ${row} | `)
  })

  it('have the panels that the runbooks name', () => {
    const titles = dashboards.flatMap(([, { panels }]) => panels.map(({ title = '' }) => title))
    const runbooks = operations.slice(operations.indexOf('\n## Runbooks\n'))
    const named = [...runbooks.matchAll(/"([A-Z][a-z][^"]+)"/gu)].map(([, name = '']) => name)
    expect(named.length).toBeGreaterThan(15)
    // "Targets" is a page of Prometheus.
    expect(named.filter(name => name !== 'Targets' && !titles.some(title => title.startsWith(name)))).toEqual([])
  })

  it.each(dashboards)(
    '%s asks the data source that its reader chooses, everywhere',
    (_name, { panels, templating }) => {
      const named = [
        ...panels.filter(({ type }) => type !== 'row').map(({ datasource }) => datasource?.uid),
        ...panels.flatMap(({ targets = [] }) => targets.map(({ datasource }) => datasource?.uid)),
        ...templating.list.filter(({ type }) => type === 'query').map(({ datasource }) => datasource?.uid),
      ]
      expect(new Set(named)).toEqual(new Set(['$datasource']))
      expect(templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource' })
    },
  )

  it.each(dashboards)('%s has panels with ids of their own that do not lie over each other', (_name, { panels }) => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
      expect(x + w).toBeLessThanOrEqual(24)
      return Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`)
    })
    expect(new Set(cells).size).toBe(cells.length)
    // Without holes: each line of the grid is full.
    expect(cells.length % 24).toBe(0)
  })

  it('ask for metrics and labels that exist', async () => {
    const known = await knownSeries()
    expect(queries.flatMap(({ expression }) => faultsOf(withVariables(expression, VARIABLES), known))).toEqual([])
  })

  it('divide the packed chunks by the answers that they are counted for, not by the runs of the pipeline', async () => {
    const metrics = createMetrics({ processMetrics: false })
    const reporter = createReporter({ metrics, logger: createLogger({ level: 'silent' }) })
    const context = sampleTrace({ counts: { retrieved: 4, packed: 4, dropped: 0 } })
    for (const trace of [context, { ...context, cache: 'hit' as const }, sampleTrace({ endpoint: 'points' })])
      reporter.contextTraced({ trace })
    const page = await metrics.registry.metrics()
    const { expression = '' } = queries.find(({ name }) => name.includes('/ Packed chunks per request /')) ?? {}
    const [chunks, answers] = readExpression(withVariables(expression, VARIABLES)).selectors.map(({ metric }) =>
      Number(new RegExp(`^${metric} (\\d+)$`, 'mu').exec(page)?.[1]),
    )
    expect([chunks, answers]).toEqual([8, 2])
  })

  it('name series by labels that the answer has', () => {
    for (const { name, expression, legend } of queries) {
      const { grouped, selectors } = readExpression(withVariables(expression, VARIABLES))
      const isAggregated = /\b(?:sum|max|min|count)\b/u.test(expression)
      const named = [...legend.matchAll(/\{\{(\w+)\}\}/gu)].map(([, label = '']) => label)
      const available = isAggregated ? grouped : ['instance', ...selectors.flatMap(({ labels }) => labels)]
      expect(
        named.filter(label => !available.includes(label)),
        name,
      ).toEqual([])
    }
  })

  it('take rates over at least four scrapes, and keep to the chosen instances', () => {
    for (const { name, expression } of queries) {
      const windows = [...expression.matchAll(/\[([^\]]+)\]/gu)].map(([, window]) => window)
      expect(
        windows.filter(window => window !== '$__rate_interval' && window !== '1h'),
        name,
      ).toEqual([])
      for (const { metric, labels } of readExpression(withVariables(expression, VARIABLES)).selectors)
        if (metric !== 'ALERTS') expect(labels, name).toContain('instance')
    }
  })

  it('show every metric of stowage', async () => {
    const asked = new Set(
      queries.flatMap(({ expression }) =>
        readExpression(withVariables(expression, VARIABLES)).selectors.map(({ metric }) => baseOf(metric)),
      ),
    )
    const own = [...(await knownSeries()).keys()].filter(name => name.startsWith('stowage_')).map(baseOf)
    expect([...new Set(own)].filter(name => !asked.has(name))).toEqual([...NOT_SHOWN.keys()])
  })

  it.each(dashboards)('%s fills its variables from labels that exist', async (_name, { templating }) => {
    const known = await knownSeries()
    for (const { name, type, definition = '' } of templating.list) {
      if (type !== 'query') continue
      const [, selector = '', label = ''] = /^label_values\((.+), (\w+)\)$/u.exec(definition) ?? []
      expect(label).toBe(name)
      const expression = `sum by (${label}) (${withVariables(selector, VARIABLES)})`
      expect(faultsOf(expression, known)).toEqual([])
    }
  })

  it.each(dashboards)('%s uses the variables that it declares, and no others', (name, { templating }) => {
    const declared = templating.list.map(variable => variable.name)
    const used = [...readGrafana(`dashboards/${name}`).matchAll(/\$(?!__)(\w+)/gu)].map(([, variable = '']) => variable)
    expect(new Set(used.filter(variable => variable !== 'QDRANT_URL'))).toEqual(new Set(declared))
  })
})

/** A histogram's name without the ending of its series. */
const baseOf = (metric: string) => metric.replace(/_(?:bucket|sum|count)$/u, '')

describe('the files beside the dashboards', () => {
  it('agree on the scrape interval, on which the windows of the panels depend', () => {
    const { global } = readYaml<{ global: { scrape_interval: string } }>('prometheus.yml')
    const { datasources } = readYaml<{ datasources: { uid: string; jsonData: { timeInterval: string } }[] }>(
      'provisioning/datasources/prometheus.yml',
    )
    expect(datasources).toMatchObject([{ type: 'prometheus', jsonData: { timeInterval: global.scrape_interval } }])
  })

  it('name files and folders that exist, also inside of the containers', () => {
    const { services } = readYaml<Compose>('../docker-compose.yml')
    /** Where a path inside of a container lies in the repository. */
    const mounted = (service: keyof Compose['services'], path: string) => {
      const volumes = services[service].volumes.map(volume => volume.split(':'))
      const [here = '', there = ''] = volumes.find(([, inside = '-']) => path.startsWith(inside)) ?? []
      return pathOf(`../${here}${path.slice(there.length)}`)
    }
    const { rule_files: ruleFiles } = readYaml<{ rule_files: string[] }>('prometheus.yml')
    for (const file of ruleFiles) expect(mounted('prometheus', `/etc/prometheus/${file}`)).toBe(pathOf(file))
    for (const file of ruleFiles) expect(existsSync(pathOf(file)), file).toBe(true)
    const { providers } = readYaml<{ providers: { options: { path: string } }[] }>(
      'provisioning/dashboards/stowage.yml',
    )
    for (const { options } of providers) expect(mounted('grafana', options.path)).toBe(pathOf('dashboards'))
    expect(mounted('grafana', '/etc/grafana/provisioning')).toBe(pathOf('provisioning'))
  })
})

interface Compose {
  services: Record<'grafana' | 'prometheus', { volumes: string[] }>
}

import { parser } from '@prometheus-io/lezer-promql'
import { createMetrics } from '../../../src/observe/metrics.ts'

/** What an expression asks for. */
export interface Asked {
  /** Metrics with the labels that their matchers name. */
  selectors: { metric: string; labels: string[] }[]
  /** Labels of `by`, `on`, `ignoring` and `group_left`. */
  grouped: string[]
  /** Windows in square brackets. */
  windows: string[]
  /** Positions where comparison operators end. */
  comparisons: number[]
}

const COMPARISONS = new Set(['Eql', 'Eqlc', 'Neq', 'Gtr', 'Lss', 'Gte', 'Lte'])

/** Reads an expression of PromQL whose variables are replaced. @throws Error with the place of a syntax error */
export function readExpression(expression: string): Asked {
  const asked: Asked = { selectors: [], grouped: [], windows: [], comparisons: [] }
  parser.parse(expression).iterate({
    enter({ name, from, to, type, node }) {
      const text = expression.slice(from, to)
      if (type.isError) throw new Error(`syntax error at ${from}: ${expression}`)
      if (name === 'VectorSelector') asked.selectors.push({ metric: text.replace(/\{.*/su, ''), labels: [] })
      if (name === 'LabelName') {
        const isMatcher = node.parent?.name === 'UnquotedLabelMatcher'
        ;(isMatcher ? asked.selectors.at(-1)?.labels : asked.grouped)?.push(text)
      }
      if (name === 'MatrixSelector') asked.windows.push(/\[([^\]]*)\]$/u.exec(text)?.[1] ?? '')
      if (COMPARISONS.has(name) && node.parent?.name === 'BinaryExpr') asked.comparisons.push(to)
    },
  })
  return asked
}

/** Puts values in the place of Grafana's variables. @throws Error for a variable without a value */
export function withVariables(expression: string, values: Readonly<Record<string, string>>): string {
  return expression.replace(/\$(\w+)/gu, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`no value for $${name}: ${expression}`)
    return value
  })
}

/** The expression of an alert such that it answers 0 or 1 where it has data, instead of nothing where it does not fire. */
export function answersAlways(expression: string): string {
  return readExpression(expression).comparisons.reduceRight(
    (text, at) => `${text.slice(0, at)} bool${text.slice(at)}`,
    expression,
  )
}

export interface Known {
  type: 'counter' | 'gauge' | 'histogram'
  labels: readonly string[]
}

/** Every series that stowage, and Prometheus beside it, can have: name, type and labels. */
export async function knownSeries(): Promise<ReadonlyMap<string, Known>> {
  const { registry } = createMetrics()
  const known = new Map<string, Known>([
    ['up', { type: 'gauge', labels: [] }],
    ['ALERTS', { type: 'gauge', labels: ['alertname', 'alertstate', 'severity'] }],
  ])
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    const { labelNames = [] } = registry.getSingleMetric(name) as unknown as { labelNames?: string[] }
    // prom-client gives the types as strings, although its own type says numbers.
    const kind = String(type) as Known['type']
    if (kind === 'histogram') {
      known.set(`${name}_bucket`, { type: 'counter', labels: [...labelNames, 'le'] })
      for (const part of ['sum', 'count']) known.set(`${name}_${part}`, { type: 'counter', labels: labelNames })
    } else known.set(name, { type: kind, labels: labelNames })
  }
  return known
}

/** Labels that Prometheus adds to what it scrapes. */
const OF_SCRAPE = ['job', 'instance']

/** What an expression asks for and what cannot be there, one sentence each. */
export function faultsOf(expression: string, known: ReadonlyMap<string, Known>): string[] {
  const { selectors, grouped } = readExpression(expression)
  const unknown = selectors.filter(({ metric }) => !known.has(metric)).map(({ metric }) => `no metric ${metric}`)
  const labelsOf = (metric: string) => [...(known.get(metric)?.labels ?? []), ...OF_SCRAPE]
  const matched = selectors.flatMap(({ metric, labels }) =>
    labels.filter(label => !labelsOf(metric).includes(label)).map(label => `${metric} has no label ${label}`),
  )
  const anywhere = new Set(selectors.flatMap(({ metric }) => labelsOf(metric)))
  const grouping = grouped.filter(label => !anywhere.has(label)).map(label => `nothing has the label ${label}`)
  const rated = [...expression.matchAll(/\b(?:rate|increase)\((\w+|\w[\w:]*)/gu)]
    .map(([, metric = '']) => metric)
    .filter(metric => known.get(metric)?.type !== 'counter')
    .map(metric => `${metric} is no counter`)
  return [...unknown, ...matched, ...grouping, ...rated].map(fault => `${fault}: ${expression}`)
}

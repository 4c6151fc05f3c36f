import { afterAll, beforeAll, expect, test } from 'vitest'
import { panelQueries, readDashboards, readRules } from '../../grafana/support/files.ts'
import { answersAlways, withVariables } from '../../grafana/support/promql.ts'
import { describeWith } from '../support/programs.ts'
import type { Prometheus } from '../support/prometheus.ts'
import { until } from '../support/wait.ts'
import { runPromtool } from './support/run-promtool.ts'
import { startWatchedStowage, type WatchedStowage } from './support/traffic.ts'
import { startWatching } from './support/watching.ts'

/**
 * Metrics that give no data here, each with the reason. What asks for one of them must have no data: an entry that is no longer true
 * fails the test, so that it is taken out.
 */
const WITHOUT_DATA = new Map([
  ['stowage_rerank_node_\\w+', 'the reranker is local here, so it has no endpoints'],
  ['stowage_shared_\\w+', 'no store is shared here'],
  ['stowage_context_quality_ratio_bucket', 'no project with contexts is here, so no point gets one'],
])

const VALUES = { instance: '.*', tenant: '.*', experiment: 'one-chunk', variant: '.*', __rate_interval: '1m' }

/** This ends a test that hangs. It must not end one on a machine that is slow or busy. */
const LONGEST_MS = 480_000

interface Question {
  name: string
  expression: string
}

const questions: Question[] = [
  ...panelQueries().map(({ name, expression }) => ({ name, expression: withVariables(expression, VALUES) })),
  ...readRules('recording').map(({ record = '', expr }) => ({ name: record, expression: expr })),
  ...readRules('recording').map(({ record = '' }) => ({ name: `recorded ${record}`, expression: record })),
  ...readRules('alerts').map(({ alert = '', expr }) => ({ name: alert, expression: answersAlways(expr) })),
]
const reasonOf = (expression: string) =>
  [...WITHOUT_DATA].find(([metric]) => new RegExp(`\\b${metric}\\b`, 'u').test(expression))?.[1]

describeWith('prometheus')('a real Prometheus that scrapes stowage under load', () => {
  let stowage: WatchedStowage
  let prometheus: Prometheus
  beforeAll(async () => {
    stowage = await startWatchedStowage()
    prometheus = await startWatching(stowage)
  }, LONGEST_MS)
  afterAll(async () => {
    await prometheus?.close()
    await stowage?.close()
  })

  /** A figure is data, `NaN` (0 / 0, or a quantile of nothing) is not. */
  const hasData = async (expression: string) =>
    (await prometheus.query(expression)).some(({ value }) => !Number.isNaN(Number(value[1])))

  /** Those without data now. Rejects with Prometheus' own text when one is malformed. */
  async function withoutData(asked: readonly Question[]): Promise<Question[]> {
    const answered = await Promise.all(asked.map(({ expression }) => hasData(expression)))
    return asked.filter((_, index) => !answered[index])
  }

  test(
    'answers every query of the panels and every rule with data, but those that are listed',
    async () => {
      expect(questions.length).toBeGreaterThan(100)
      const listed = questions.filter(({ expression }) => reasonOf(expression))
      // Each once: after its rollback, an experiment has no new requests, and its rates end.
      let unanswered = await withoutData(questions)
      const onlyListed = async () => {
        unanswered = await withoutData(unanswered)
        return unanswered.length <= listed.length
      }
      await until('every query has had data', onlyListed, { pauseMs: 2_000, mostMs: LONGEST_MS / 2 }).catch(() => {})
      expect(unanswered.map(({ name }) => name)).toEqual(listed.map(({ name }) => name))
    },
    LONGEST_MS,
  )

  test('evaluates every rule without an error', async () => {
    interface Evaluated {
      groups: { rules: { name: string; health: string; lastError?: string }[] }[]
    }
    const { groups } = await prometheus.get<Evaluated>('/rules')
    const rules = groups.flatMap(group => group.rules)
    expect(rules).toHaveLength(readRules('recording').length + readRules('alerts').length)
    expect(rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => [name, lastError])).toEqual([])
  })

  test('fills the variables of the dashboards', async () => {
    const variables = Object.values(readDashboards()).flatMap(({ templating }) => templating.list)
    for (const { name, type, definition = '' } of variables) {
      if (type !== 'query') continue
      const selector = /^label_values\((.+), \w+\)$/u.exec(definition)?.[1] ?? ''
      const match = withVariables(selector, VALUES)
      const values = await prometheus.get<string[]>(`/label/${name}/values`, { 'match[]': match })
      if (reasonOf(match)) expect(values, definition).toEqual([])
      else expect(values.length, definition).toBeGreaterThan(0)
    }
  })

  test('counts what the clients did', async () => {
    const least = async (expression: string) => Number((await prometheus.query(expression))[0]?.value[1])
    for (const expression of [
      'sum(stowage_requests_total{endpoint="context", outcome="ok"})',
      'sum(stowage_requests_total{endpoint="context", outcome="client_error"})',
      'stowage_degraded_total{code="tokenizer_mapped"}',
      'stowage_passthrough_total{reason="query_not_understood"}',
      'stowage_tenant_limited_total{tenant="beta", limit="rate"}',
      'sum(stowage_guarded_upserts_total{action="refused"})',
    ])
      expect(await least(expression), expression).toBeGreaterThan(0)
  })

  test(
    'fires the alerts that the clients have earned, with texts that can be read',
    async () => {
      interface Alerts {
        alerts: { labels: { alertname: string }; state: string; annotations: { summary: string } }[]
      }
      const earned = ['StowageExperimentRolledBack', 'StowageUpsertsRefused']
      let alerts: Alerts['alerts'] = []
      const firing = () => alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
      // On a busy machine the rollback comes late.
      const allFire = async () => {
        alerts = (await prometheus.get<Alerts>('/alerts')).alerts
        return earned.every(name => firing().includes(name))
      }
      await until('the alerts fire', allFire, { pauseMs: 2_000, mostMs: LONGEST_MS / 2 }).catch(() => {})
      expect(firing()).toEqual(expect.arrayContaining(earned))
      for (const { annotations } of alerts) expect(annotations.summary).not.toMatch(/error expanding|<no value>|\{\{/u)
    },
    LONGEST_MS,
  )

  test('has a page of metrics in which promtool finds no fault', async () => {
    expect(await runPromtool(['check', 'metrics'], await stowage.metrics())).toEqual({ stdout: '', stderr: '' })
  })
})

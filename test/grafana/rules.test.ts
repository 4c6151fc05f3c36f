import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { pathOf, readGrafana, readRules, readYaml } from './support/files.ts'
import { faultsOf, type Known, knownSeries, readExpression } from './support/promql.ts'

const recording = readRules('recording')
const alerts = readRules('alerts')
const names = alerts.map(({ alert = '' }) => alert)
const runbooks = readFileSync(pathOf('../docs/operations.md'), 'utf8')

/** What stowage, Prometheus and the recording rules give. A recorded series has the labels that its name begins with. */
async function knownAndRecorded(): Promise<ReadonlyMap<string, Known>> {
  const recorded = recording.map(({ record = '' }): [string, Known] => [
    record,
    { type: 'gauge', labels: (record.split(':')[0] ?? '').split('_') },
  ])
  return new Map([...(await knownSeries()), ...recorded])
}

describe('the rules', () => {
  it('ask for metrics and labels that exist', async () => {
    const known = await knownAndRecorded()
    expect([...recording, ...alerts].flatMap(({ expr }) => faultsOf(expr, known))).toEqual([])
  })

  it('look at windows of at least four scrapes', () => {
    const { global } = readYaml<{ global: { scrape_interval: string } }>('prometheus.yml')
    expect(global.scrape_interval).toBe('15s')
    for (const { expr } of [...recording, ...alerts])
      for (const window of readExpression(expr).windows) expect(window, expr).toMatch(/^(?:[1-9]\d*m|\d+h)$/u)
  })

  it('record under names of the form level:metric:operations', () => {
    for (const { record } of recording) expect(record).toMatch(/^job(?:_[a-z]+)*:stowage_[a-z_]+:[a-z0-9_]+$/u)
  })
})

describe('the alerts', () => {
  it.each(alerts.map(rule => [rule.alert, rule] as const))('%s says how bad it is, and what to read', (name, rule) => {
    expect(rule.labels?.severity).toMatch(/^(?:critical|warning)$/u)
    expect(rule.annotations).toEqual({
      summary: expect.stringMatching(/\S/u),
      description: expect.stringMatching(/\.$/u),
      runbook_url: `docs/operations.md#${name?.toLowerCase()}`,
    })
  })

  it('say where their thresholds come from', () => {
    const lines = readGrafana('rules/alerts.yml').split('\n')
    const before = lines.flatMap((line, index) => (line.includes('- alert:') ? [lines[index - 1] ?? ''] : []))
    expect(before).toHaveLength(alerts.length)
    for (const line of before) expect(line).toMatch(/^ {6}# .+\.$/u)
  })

  it('have a runbook each, and each runbook an alert', () => {
    const sections = [...runbooks.matchAll(/^### (Stowage\w+)$/gmu)].map(([, name]) => name)
    expect(sections).toEqual(names)
  })

  it('have runbooks that say what it means, what to check and how to mend it', () => {
    for (const section of runbooks.split(/^(?=### )/mu).slice(1)) {
      const [title = ''] = section.split('\n')
      for (const part of ['**Meaning.** ', '**Check.** ', '**Mend.** ']) expect(section, title).toContain(`\n${part}`)
    }
  })

  it('are tested to fire, and not to fire', () => {
    interface Check {
      exp_samples: { labels: string }[]
    }
    const { tests } = readYaml<{ tests: { name: string; promql_expr_test: Check[] }[] }>('rules/tests/alerts.yml')
    expect(tests.map(({ name }) => name)).toEqual(names)
    for (const { name, promql_expr_test: checks } of tests) {
      const fired = checks.map(check => check.exp_samples.map(({ labels }) => labels))
      expect(fired, name).toContainEqual([])
      expect(fired, name).toContainEqual([`{alertname="${name}"}`])
    }
  })
})

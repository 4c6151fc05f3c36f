import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createMetrics } from '../src/observe/metrics.ts'

it('dashboards ask for metrics that exist', async () => {
  const known = new Set((await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name))
  const folder = new URL('../grafana/dashboards/', import.meta.url)
  const asked = readdirSync(folder).flatMap(file => {
    const { panels } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    return panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.flatMap(({ expr }) => expr.match(/\b(?:stowage|nodejs|process)_\w+/gu) ?? []),
    )
  })
  expect(asked.length).toBeGreaterThan(5)
  expect(
    asked.map((name: string) => name.replace(/_(?:bucket|sum|count)$/u, '')).filter((name: string) => !known.has(name)),
  ).toEqual([])
})

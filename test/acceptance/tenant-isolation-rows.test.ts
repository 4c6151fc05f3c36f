import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { createMatchRoute, matchRoute } from '../../src/tenants/guard/match.ts'
import type { Route } from '../../src/tenants/guard/routes/route.ts'
import { ROUTES } from '../../src/tenants/guard/routes/table.ts'
import { createStage } from '../support/stage.ts'
import { openIsolation } from './support/tenants/isolation.ts'
import { requestTo } from './support/tenants/request-arbitrary.ts'

const stage = createStage()
afterAll(() => stage.close())

/** These show and change nothing of any collection, so that the table lets them through as they are. */
const HARMLESS = ['root', 'healthz', 'livez', 'readyz']
const MOST_REQUESTS = 1_000

/** The table with one row that forwards requests unchanged. */
function without(row: Route): readonly Route[] {
  return ROUTES.map(route => (route === row ? { ...row, cover: { kind: 'open' } as const } : route))
}

describe('with one row of the table switched off, points of others come back or are changed', async () => {
  const operations = [...new Set(ROUTES.map(({ operation }) => operation))]
  const isolation = await openIsolation(stage, operations, matchRoute)
  afterAll(() => isolation.close())

  test.each(ROUTES.map(row => [`${row.method} ${row.path}`, row] as const))('%s', async (_name, row) => {
    isolation.use(createMatchRoute(without(row)))
    // Only one row is looked at, so that its requests need no twists to get through.
    const sample = fc.sample(requestTo([row]), { numRuns: MOST_REQUESTS, seed: 1 })
    let breach: string | null = null
    for (const request of sample) {
      breach = await isolation.breachIn([request], 'acme-plain-0123456789')
      if (breach !== null) break
    }
    if (HARMLESS.includes(row.operation)) expect(breach).toBe(null)
    else expect(breach).not.toBe(null)
  })
})

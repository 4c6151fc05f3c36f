import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMatchRoute, matchRoute } from '../../src/tenants/guard/match.ts'
import type { Route } from '../../src/tenants/guard/routes/route.ts'
import { ROUTES } from '../../src/tenants/guard/routes/table.ts'
import { createStage } from '../support/stage.ts'
import { openIsolation } from './support/tenants/isolation.ts'
import { plainRequestTo } from './support/tenants/request-arbitrary.ts'

const stage = createStage()
afterAll(() => stage.close())

/** They tell that the server runs, and nothing of any collection: the table lets them through, so that switching them off changes nothing. */
const HARMLESS = ['root', 'healthz', 'livez', 'readyz']
const MOST_REQUESTS = 300

/** The table with one row that forwards requests unchanged. */
function without(row: Route): readonly Route[] {
  return ROUTES.map(route => (route === row ? { ...row, cover: { kind: 'open' } as const } : route))
}

describe('with one row of the table switched off, the property fails', () => {
  let isolation: Awaited<ReturnType<typeof openIsolation>>
  beforeAll(async () => {
    isolation = await openIsolation(stage, matchRoute)
  })
  afterAll(() => isolation.close())

  const rows = ROUTES.map(row => ({ name: `${row.method} ${row.path}`, row }))
  test.each(rows)('$name', { timeout: 120_000 }, async ({ row }) => {
    isolation.use(createMatchRoute(without(row)))
    let breach: string | null = null
    for (const request of fc.sample(plainRequestTo([row]), { numRuns: MOST_REQUESTS, seed: 1 })) {
      breach = await isolation.breachIn([request], 'acme-plain-0123456789')
      if (breach !== null) break
    }
    if (HARMLESS.includes(row.operation)) expect(breach).toBe(null)
    else expect(breach).not.toBe(null)
  })
})

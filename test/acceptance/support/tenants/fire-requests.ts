import fc from 'fast-check'
import { expect } from 'vitest'
import { matchRoute } from '../../../../src/tenants/guard/match.ts'
import type { Route } from '../../../../src/tenants/guard/routes/route.ts'
import { ROUTES } from '../../../../src/tenants/guard/routes/table.ts'
import { createStage } from '../../../support/stage.ts'
import { openIsolation } from './isolation.ts'
import type { SentRequest } from './request-arbitrary.ts'

/** For a longer run: `TENANT_REQUESTS=50000 npx vitest run test/acceptance/tenant-isolation`. */
const ALL_REQUESTS = Number(process.env.TENANT_REQUESTS ?? 3_000)
/** Plain and twisted requests have a file each, so that two processes share the work. */
export const REQUESTS = ALL_REQUESTS / 2

/** Requests in a row on one state of the points. fast-check generates 2 on average. */
const IN_A_ROW = { minLength: 1, maxLength: 3, size: 'max' } as const

/**
 * Fires requests of acme over all routes. Fails at the first that brings or changes what is not acme's.
 * @param whole whether acme has collections for itself
 * @returns the operations that succeeded, with how often
 */
export async function fireRequests(
  requestTo: (routes: readonly Route[]) => fc.Arbitrary<SentRequest>,
  { requests: least = REQUESTS, whole = false } = {},
): Promise<ReadonlyMap<string, number>> {
  const stage = createStage()
  const isolation = await openIsolation(stage, matchRoute, whole)
  try {
    const rows = fc.array(requestTo(ROUTES), IN_A_ROW)
    const property = fc.asyncProperty(rows, fc.constantFrom(...isolation.keys), async (requests, key) => {
      expect(await isolation.breachIn(requests, key)).toBe(null)
    })
    await fc.assert(property, { numRuns: Math.ceil(least / 1.9) })
    expect(isolation.counts.sent).toBeGreaterThanOrEqual(least)
    return isolation.counts.succeeded
  } finally {
    isolation.close()
    await stage.close()
  }
}

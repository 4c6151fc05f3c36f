import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { matchRoute } from '../../src/tenants/guard/match.ts'
import { ROUTES } from '../../src/tenants/guard/routes/table.ts'
import { createStage } from '../support/stage.ts'
import { openIsolation } from './support/tenants/isolation.ts'
import { requestTo } from './support/tenants/request-arbitrary.ts'

const stage = createStage()
afterAll(() => stage.close())

/** For a longer run: `TENANT_REQUESTS=50000 npx vitest run test/acceptance/tenant-isolation.test.ts`. */
const REQUESTS = Number(process.env.TENANT_REQUESTS ?? 20_000)
const MOST_REQUESTS_IN_A_ROW = 3

const OPERATIONS = [...new Set(ROUTES.map(({ operation }) => operation))]

test(`no byte of others comes back and no write touches them: ${REQUESTS} requests over all routes`, async () => {
  const isolation = await openIsolation(stage, OPERATIONS, matchRoute)
  const requests = fc.array(requestTo(ROUTES), { minLength: 1, maxLength: MOST_REQUESTS_IN_A_ROW, size: 'max' })
  const property = fc.asyncProperty(requests, fc.constantFrom(...isolation.keys), async (requests, key) => {
    expect(await isolation.breachIn(requests, key)).toBe(null)
  })
  await fc.assert(property, { numRuns: Math.ceil(REQUESTS / 1.9) })
  console.log(isolation.counts.sent, Object.fromEntries(isolation.counts.succeeded))
  isolation.close()
  expect(isolation.counts.sent).toBeGreaterThanOrEqual(REQUESTS)
}, 600_000)

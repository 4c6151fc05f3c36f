import { expect, test } from 'vitest'
import { POINT_ROUTES } from '../../src/tenants/guard/routes/points.ts'
import { fireRequests, REQUESTS } from './support/tenants/fire-requests.ts'
import { plainRequestTo } from './support/tenants/request-arbitrary.ts'

test(`${REQUESTS} requests over all routes bring no byte of other tenants and change nothing of theirs`, async () => {
  const succeeded = await fireRequests(plainRequestTo)
  // The property says something only where requests get through.
  const never = POINT_ROUTES.map(({ operation }) => operation).filter(operation => !succeeded.has(operation))
  expect(never).toEqual([])
}, 900_000)

test('a tenant with collections of its own gets nothing of others either', async () => {
  const succeeded = await fireRequests(plainRequestTo, { requests: REQUESTS / 10, whole: true })
  expect(succeeded.size).toBeGreaterThan(20)
}, 900_000)

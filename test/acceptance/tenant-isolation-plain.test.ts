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

import { expect, test } from 'vitest'
import { fireRequests, REQUESTS } from './support/tenants/fire-requests.ts'
import { twistedRequestTo } from './support/tenants/request-arbitrary.ts'

test(`${REQUESTS} odd requests over all routes bring no byte of other tenants and change nothing of theirs`, async () => {
  const succeeded = await fireRequests(twistedRequestTo)
  // Some oddities do no harm, such as the encoding of a letter.
  expect(succeeded.size).toBeGreaterThan(10)
}, 900_000)

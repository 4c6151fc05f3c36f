import { nextTurn, takeFreeTurn } from '../../pipeline/pacing/turns.ts'
import { tenantOf } from '../caller.ts'
import type { Step } from '../step.ts'

/**
 * Begins one request in each turn of the event loop, tenants in turns. Otherwise all requests that arrive together would begin before the
 * event loop comes back to the one of another tenant, and a flood of requests that only pass through would hold it all the time.
 * Without a tenant, nothing waits.
 */
export const beginInTurn: Step = (_request, response, next) => {
  const tenant = tenantOf(response)
  if (tenant === null || takeFreeTurn()) return next()
  void nextTurn(tenant.name).then(() => {
    if (!response.destroyed) next()
  })
}

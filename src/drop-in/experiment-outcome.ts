import type { ServerResponse } from 'node:http'
import {
  failedAfter,
  type ObserveOutcome,
  OF_THE_PLAN,
  type OutcomeSubject,
  tellOutcome,
} from '../pipeline/plan/outcome.ts'
import { refusesForNow } from '../qdrant/refusals.ts'
import { meanOrNull } from '../statistics/sample.ts'
import { NotImproved } from './not-improved.ts'
import type { ImprovedAnswer } from './response.ts'

/**
 * Tells what a search says about its variant: it was improved, or passed through for a reason that the plan can be guilty of. When Qdrant
 * refuses the improved search, the plan is guilty if the client's own request is answered well, and Qdrant has not only asked to wait.
 * @param seconds from the complete request to the answer
 */
export function tellSearchOutcome(
  observe: ObserveOutcome | undefined,
  subject: OutcomeSubject,
  result: ImprovedAnswer | NotImproved,
  seconds: number,
  response: ServerResponse,
): void {
  if (subject.decision.assignment === null) return
  const tellFailure = () => tellOutcome(observe, subject, failedAfter(seconds))
  if (!(result instanceof NotImproved)) tellOutcome(observe, subject, { failed: false, seconds, ...contentOf(result) })
  else if (OF_THE_PLAN.has(result.reason)) tellFailure()
  else if (result.reason === 'upstream_refused' && !refusesForNow(result.status)) {
    response.once('close', () => {
      if (response.writableFinished && response.statusCode < 300) tellFailure()
    })
  }
}

/** The tokens of all searches of a batch, and the mean of their recall proxies. */
function contentOf({ searches }: ImprovedAnswer): { recallProxy: number | null; tokens: number } {
  const proxies = searches.flatMap(({ recallProxy }) => recallProxy ?? [])
  return {
    recallProxy: meanOrNull(proxies),
    tokens: searches.reduce((sum, { tokens }) => sum + tokens, 0),
  }
}

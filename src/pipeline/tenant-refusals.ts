import { StowageError } from '../core/errors.ts'
import { statusOf } from '../qdrant/errors.ts'
import type { Caller } from './context-request.ts'

/** Says nothing of whether such a collection exists. @throws StowageError `forbidden` for a collection that the tenant does not reach */
export function refuseOthers(collections: readonly string[], { tenant }: Pick<Caller, 'tenant'>): void {
  if (tenant === null || collections.every(collection => tenant.reaches(collection))) return
  throw new StowageError('forbidden', 'This collection is not allowed.')
}

/** The same error, or `upstream_error` for a refusal of the upstream key, which a tenant does not know. */
export function withoutUpstreamKey(error: unknown, { tenant }: Pick<Caller, 'tenant'>): unknown {
  if (tenant === null || (statusOf(error) !== 401 && statusOf(error) !== 403)) return error
  return new StowageError('upstream_error', 'Qdrant refused the key of stowage', { cause: error })
}

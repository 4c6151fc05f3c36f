import { StowageError } from '../core/errors.ts'
import type { JsonObject } from '../core/types.ts'

/** The filter that matches what a filter matches and a condition too; null for neither. */
export function narrowedFilter(condition: JsonObject | null, filter: JsonObject | null): JsonObject | null {
  if (condition === null) return filter
  return { must: filter === null ? [condition] : [condition, filter] }
}

/** Says nothing of whether such a collection exists. @throws StowageError `forbidden` for a collection that the tenant does not reach */
export function refuseOthers(
  collections: readonly string[],
  { tenant }: { tenant: { reaches(collection: string): boolean } | null },
): void {
  if (tenant === null || collections.every(collection => tenant.reaches(collection))) return
  throw unreachable()
}

/** One text for collections that exist and for those that do not. */
export function unreachable(): StowageError {
  return new StowageError('forbidden', 'This collection is not allowed.')
}

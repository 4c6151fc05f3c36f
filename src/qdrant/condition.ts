import type { JsonObject } from '../core/types.ts'

/** The filter that matches what a filter matches and a condition too; null for neither. */
export function narrowedFilter(condition: JsonObject | null, filter: JsonObject | null): JsonObject | null {
  if (condition === null) return filter
  return { must: filter === null ? [condition] : [condition, filter] }
}

import type { QueryResult, ReplayReport } from '../replay/results.ts'
import type { SliceBy } from './summary.ts'

/** A part of the queries of a replay, by set. Sets without such queries are left out. */
export interface Slice {
  by: SliceBy
  value: string
  sets: { name: string; queries: readonly QueryResult[] }[]
}

/** All queries, then the slices by set, by intent and by grade. */
export function slicesOf({ sets }: ReplayReport): Slice[] {
  const slice = (by: SliceBy, value: string, belongs: (query: QueryResult, set: string) => boolean): Slice => ({
    by,
    value,
    sets: sets
      .map(({ name, queries }) => ({ name, queries: queries.filter(query => belongs(query, name)) }))
      .filter(({ queries }) => queries.length > 0),
  })
  const valuesOf = (field: 'intent' | 'grade') =>
    [...new Set(sets.flatMap(({ queries }) => queries.flatMap(query => query[field] ?? [])))].sort()
  return [
    slice('all', '', () => true),
    ...(sets.length > 1 ? sets.map(({ name }) => slice('set', name, (_, set) => set === name)) : []),
    ...valuesOf('intent').map(value => slice('intent', value, ({ intent }) => intent === value)),
    ...valuesOf('grade').map(value => slice('grade', value, ({ grade }) => grade === value)),
  ]
}

import { badRequest } from '../../../core/errors.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import { keep, type Members, objectOrLeft, type ReadValue, withFields } from './fields.ts'
import { unknownField } from './refusals.ts'
import { ALL, type Scope } from './scope.ts'

const FILTER_FIELDS = ['should', 'min_should', 'must', 'must_not']

/** A filter, with the condition of the tenant beside it. */
export const filter: ReadValue = (reader, scope) => scope.filter(readFilter(reader)) ?? 'null'

/** Adds the condition of the tenant where the client gave no filter. */
export function addFilter(members: Members, scope: Scope, key = 'filter'): void {
  const whole = scope.filter(null)
  if (whole !== null && !members.has(key)) members.set(key, whole)
}

/** The filter as the client gave it; null for none, and `{}` for one that all points meet. */
export function readFilter(reader: JsonReader): string | null {
  if (reader.kind === 'null') {
    reader.take()
    return null
  }
  if (reader.kind !== 'object') throw badRequest('A filter must be an object.')
  const start = reader.at
  let empty = true
  for (const key of reader.members()) {
    if (!FILTER_FIELDS.includes(key)) throw unknownField(key, 'a filter')
    reader.take()
    empty = false
  }
  return empty ? ALL : reader.text.slice(start, reader.at)
}

/** `params` of a search. Its `idf` may count the words of the points of a filter. */
export const searchParameters = objectOrLeft(
  {
    hnsw_ef: keep,
    exact: keep,
    indexed_only: keep,
    quantization: withFields(['ignore', 'rescore', 'oversampling'], 'params.quantization'),
    acorn: withFields(['enable', 'max_selectivity'], 'params.acorn'),
    idf: objectOrLeft({ corpus: filter }, 'params.idf'),
  },
  'params',
)

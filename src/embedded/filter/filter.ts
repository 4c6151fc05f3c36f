import type { PointId } from '../../core/types.ts'
import { formatError, unsupported, wrongInput } from '../errors.ts'
import { readPointId } from '../wire/point-id.ts'
import {
  asList,
  isRecord,
  type JsonRecord,
  readCount,
  readList,
  readRecord,
  readString,
  refuseAbove,
} from '../wire/shape.ts'
import { areEmpty, compileFieldCondition, includeNull, type ValuesPredicate } from './field-condition.ts'
import { parsePath, valuesAt } from './payload-path.ts'
import type { TextIndex } from './text-match.ts'

/** What a filter needs from a collection. */
export interface FilterSubject {
  textIndex(key: string): TextIndex | undefined
  hasVector(name: string, id: PointId): boolean
}

/** Tests a point. `payload` is its payload, or an element of it inside `nested`. */
type PointPredicate = (id: PointId, payload: unknown) => boolean

/** Levels of nested clauses. */
export const MAXIMUM_FILTER_DEPTH = 64
/** Conditions of one filter, nested ones included. */
export const MAXIMUM_CONDITIONS = 10_000
const CLAUSES = ['should', 'min_should', 'must', 'must_not']

/**
 * Compiles a filter. `undefined`, `null` and `{}` accept all points.
 * @throws EngineError 400 on an unknown or malformed condition and on too deep nesting, 501 on prefix and slice conditions
 */
export function compileFilter(filter: unknown, subject: FilterSubject): PointPredicate {
  refuseAbove(countConditions(filter, 0), MAXIMUM_CONDITIONS, 'filter conditions')
  return compileClauses(filter ?? {}, subject, '', 0)
}

/** The number of conditions in the clauses of a filter. Malformed parts count as nothing. */
function countConditions(filter: unknown, depth: number): number {
  if (!isRecord(filter) || depth >= MAXIMUM_FILTER_DEPTH) return 0
  const { must, should, must_not, min_should, nested } = filter
  const some = isRecord(min_should) ? min_should.conditions : undefined
  let count = isRecord(nested) ? countConditions(nested.filter, depth + 1) : 0
  for (const clause of [must, should, must_not, some]) {
    for (const condition of asList(clause)) count += 1 + countConditions(condition, depth + 1)
  }
  return count
}

function compileClauses(value: unknown, subject: FilterSubject, prefix: string, depth: number): PointPredicate {
  if (depth >= MAXIMUM_FILTER_DEPTH) throw wrongInput(`Filter is nested deeper than ${MAXIMUM_FILTER_DEPTH} levels`)
  const filter = readRecord(value, 'filter')
  const unknown = Object.keys(filter).find(key => !CLAUSES.includes(key))
  if (unknown !== undefined) throw formatError(`unknown field \`${unknown}\`, expected one of ${CLAUSES.join(', ')}`)
  const compile = (condition: unknown) => compileCondition(condition, subject, prefix, depth)
  const must = asList(filter.must).map(compile)
  const should = asList(filter.should).map(compile)
  const mustNot = asList(filter.must_not).map(compile)
  const atLeast = filter.min_should ? compileMinShould(filter.min_should, compile) : undefined
  return (id, payload) =>
    must.every(holds => holds(id, payload)) &&
    !mustNot.some(holds => holds(id, payload)) &&
    (should.length === 0 || should.some(holds => holds(id, payload))) &&
    (atLeast === undefined || atLeast(id, payload))
}

function compileMinShould(value: unknown, compile: (condition: unknown) => PointPredicate): PointPredicate {
  const clause = readRecord(value, 'min_should')
  const conditions = readList(clause.conditions, 'min_should.conditions').map(compile)
  if (clause.min_count === undefined) throw formatError('missing field `min_count`')
  const minimum = readCount(clause.min_count, 'min_count', 0)
  return (id, payload) => {
    let met = 0
    return met >= minimum || conditions.some(holds => holds(id, payload) && ++met >= minimum)
  }
}

function compileCondition(value: unknown, subject: FilterSubject, prefix: string, depth: number): PointPredicate {
  const condition = readRecord(value, 'condition')
  if ('key' in condition) {
    const key = readString(condition.key, 'key')
    const test = compileFieldCondition(condition, subject.textIndex(prefix + key))
    const path = parsePath(key)
    return (_id, payload) => test(valuesAt(payload, path))
  }
  if ('is_empty' in condition) return compileState(condition, 'is_empty', areEmpty)
  if ('is_null' in condition) return compileState(condition, 'is_null', includeNull)
  // An element of a list has no id and no vector: inside `nested` the next two match nothing.
  if ('has_id' in condition) {
    const ids = new Set(readList(condition.has_id, 'has_id').map(readPointId))
    return id => prefix === '' && ids.has(id)
  }
  if ('has_vector' in condition) {
    const name = readString(condition.has_vector, 'has_vector')
    return id => prefix === '' && subject.hasVector(name, id)
  }
  if ('nested' in condition) return compileNested(readRecord(condition.nested, 'nested'), subject, prefix, depth)
  if ('slice' in condition) throw unsupported('slice conditions')
  if (Object.keys(condition).every(key => CLAUSES.includes(key)))
    return compileClauses(condition, subject, prefix, depth + 1)
  throw formatError('unknown filter condition')
}

function compileState(condition: JsonRecord, kind: 'is_empty' | 'is_null', test: ValuesPredicate): PointPredicate {
  const path = parsePath(readString(readRecord(condition[kind], kind).key, 'key'))
  return (_id, payload) => test(valuesAt(payload, path))
}

function compileNested(nested: JsonRecord, subject: FilterSubject, prefix: string, depth: number): PointPredicate {
  const key = readString(nested.key, 'nested.key')
  const elementsKey = key.endsWith('[]') ? key : `${key}[]`
  const path = parsePath(elementsKey)
  const holds = compileClauses(nested.filter, subject, `${prefix}${elementsKey}.`, depth + 1)
  return (id, payload) => valuesAt(payload, path).some(element => isRecord(element) && holds(id, element))
}

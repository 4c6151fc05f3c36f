import type { PointId } from '../../core/types.ts'
import { formatError, unsupported, wrongInput } from '../errors.ts'
import { readPointId } from '../wire/point-id.ts'
import { asList, isRecord, type JsonRecord, readCount, readList, readRecord, readString } from '../wire/shape.ts'
import { compileFieldCondition } from './field-condition.ts'
import { parsePath, valuesAt } from './payload-path.ts'
import type { TextIndex } from './text-match.ts'

/** What a filter may ask of a collection. */
export interface FilterSubject {
  textIndex(key: string): TextIndex | undefined
  rowOf(id: PointId): number | undefined
  hasVector(name: string, row: number): boolean
}

/** True when the point at `row`, or the nested element `payload` of it, satisfies the filter. */
export type RowPredicate = (row: number, payload: unknown) => boolean

/** Levels of clauses in one another. */
export const MAXIMUM_FILTER_DEPTH = 64
const CLAUSES = ['should', 'min_should', 'must', 'must_not']

/**
 * Compiles Qdrant's filter grammar. `undefined`, `null` and `{}` accept everything.
 * @throws EngineError 400 on an unknown or malformed condition and on nesting beyond 64 levels, 501 on geo, prefix and slice conditions.
 */
export function compileFilter(filter: unknown, subject: FilterSubject): RowPredicate {
  return filter === undefined || filter === null ? () => true : compileClauses(filter, subject, '', 0)
}

function compileClauses(value: unknown, subject: FilterSubject, prefix: string, depth: number): RowPredicate {
  if (depth >= MAXIMUM_FILTER_DEPTH) throw wrongInput(`Filter is nested deeper than ${MAXIMUM_FILTER_DEPTH} levels`)
  const filter = readRecord(value, 'filter')
  const unknown = Object.keys(filter).find(key => !CLAUSES.includes(key))
  if (unknown !== undefined) {
    const expected = CLAUSES.map(key => `\`${key}\``).join(', ')
    throw formatError(`unknown field \`${unknown}\`, expected one of ${expected}`)
  }
  const compile = (condition: unknown) => compileCondition(condition, subject, prefix, depth)
  const must = asList(filter.must).map(compile)
  const should = asList(filter.should).map(compile)
  const mustNot = asList(filter.must_not).map(compile)
  const atLeast = filter.min_should ? compileMinShould(filter.min_should, compile) : undefined
  return (row, payload) =>
    must.every(holds => holds(row, payload)) &&
    !mustNot.some(holds => holds(row, payload)) &&
    (should.length === 0 || should.some(holds => holds(row, payload))) &&
    (atLeast === undefined || atLeast(row, payload))
}

function compileMinShould(value: unknown, compile: (condition: unknown) => RowPredicate): RowPredicate {
  const clause = readRecord(value, 'min_should')
  const conditions = readList(clause.conditions, 'min_should.conditions').map(compile)
  if (clause.min_count === undefined) throw formatError('missing field `min_count`')
  const minimum = readCount(clause.min_count, 'min_count', 0)
  return (row, payload) => {
    let met = 0
    return met >= minimum || conditions.some(holds => holds(row, payload) && ++met >= minimum)
  }
}

function compileCondition(value: unknown, subject: FilterSubject, prefix: string, depth: number): RowPredicate {
  const condition = readRecord(value, 'condition')
  if ('key' in condition) {
    const key = readString(condition.key, 'key')
    const test = compileFieldCondition(condition, subject.textIndex(prefix + key))
    const path = parsePath(key)
    return (_row, payload) => test(valuesAt(payload, path))
  }
  if ('is_empty' in condition) return emptiness(condition, 'is_empty')
  if ('is_null' in condition) return emptiness(condition, 'is_null')
  if ('has_id' in condition) {
    const rows = new Set(readList(condition.has_id, 'has_id').map(id => subject.rowOf(readPointId(id))))
    return row => rows.has(row)
  }
  if ('has_vector' in condition) {
    const name = readString(condition.has_vector, 'has_vector')
    return row => subject.hasVector(name, row)
  }
  if ('nested' in condition) return compileNested(readRecord(condition.nested, 'nested'), subject, prefix, depth)
  if ('slice' in condition) throw unsupported('slice conditions')
  if (Object.keys(condition).every(key => CLAUSES.includes(key))) {
    return compileClauses(condition, subject, prefix, depth + 1)
  }
  throw formatError('data did not match any variant of untagged enum Condition')
}

function compileNested(nested: JsonRecord, subject: FilterSubject, prefix: string, depth: number): RowPredicate {
  const key = readString(nested.key, 'nested.key')
  const elementsKey = key.endsWith('[]') ? key : `${key}[]`
  const path = parsePath(elementsKey)
  const holds = compileClauses(nested.filter, subject, `${prefix}${elementsKey}.`, depth + 1)
  return (row, payload) => valuesAt(payload, path).some(element => isRecord(element) && holds(row, element))
}

function emptiness(condition: JsonRecord, kind: 'is_empty' | 'is_null'): RowPredicate {
  const key = readString(readRecord(condition[kind], kind).key, 'key')
  const test = compileFieldCondition({ key, [kind]: true }, undefined)
  const path = parsePath(key)
  return (_row, payload) => test(valuesAt(payload, path))
}

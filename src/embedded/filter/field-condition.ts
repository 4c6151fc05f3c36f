import { formatError, refuseFields } from '../errors.ts'
import { isRecord, type JsonRecord, readList } from '../wire/shape.ts'
import { compileRange } from './range.ts'
import { compileTextMatch, TEXT_MATCHES, type TextIndex } from './text-match.ts'

/** Tests all values that the payload has under the key of a condition. */
export type ValuesPredicate = (values: unknown[]) => boolean

/** Compiles one `{key, match | range | values_count | is_empty | is_null}` condition. */
export function compileFieldCondition(condition: JsonRecord, index: TextIndex | undefined): ValuesPredicate {
  refuseFields(condition, ['geo_bounding_box', 'geo_radius', 'geo_polygon'], 'filter condition')
  const tests: ValuesPredicate[] = []
  if (isRecord(condition.match)) tests.push(anyElement(compileMatch(condition.match, index)))
  if (isRecord(condition.range)) tests.push(anyElement(compileRange(condition.range)))
  if (isRecord(condition.values_count)) tests.push(compileValuesCount(condition.values_count))
  const { is_empty, is_null } = condition
  if (typeof is_empty === 'boolean') tests.push(values => isEmpty(values) === is_empty)
  if (typeof is_null === 'boolean') tests.push(values => isNull(values) === is_null)
  const [test, second] = tests
  if (test === undefined || second !== undefined) {
    throw formatError('a filter condition must have one of match, range, values_count, is_empty and is_null')
  }
  return test
}

/** True for an array when it is true for one of its elements. */
function anyElement(test: (value: unknown) => boolean): ValuesPredicate {
  return values => values.some(value => (Array.isArray(value) ? value.some(test) : test(value)))
}

const isEmpty: ValuesPredicate = values =>
  values.every(value => value === null || (Array.isArray(value) && value.length === 0))

const isNull: ValuesPredicate = values =>
  values.some(value => value === null || (Array.isArray(value) && value.includes(null)))

function compileMatch(match: JsonRecord, index: TextIndex | undefined): (value: unknown) => boolean {
  const { value, any, except } = match
  refuseFields(match, ['prefix'], 'match')
  if ('value' in match) {
    if (!isKeyword(value) && typeof value !== 'boolean') throw noMatchVariant()
    return candidate => candidate === value
  }
  if ('any' in match) return oneOf(readKeywords(any))
  if ('except' in match) {
    const excluded = oneOf(readKeywords(except))
    return candidate => !excluded(candidate)
  }
  const kind = TEXT_MATCHES.find(kind => typeof match[kind] === 'string')
  if (kind === undefined) throw noMatchVariant()
  const test = compileTextMatch(kind, String(match[kind]), index)
  return candidate => typeof candidate === 'string' && test(candidate)
}

function isKeyword(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'bigint' || Number.isInteger(value)
}

function readKeywords(value: unknown): (string | number | bigint)[] {
  const keywords = readList(value, 'match').map(item => {
    if (!isKeyword(item)) throw noMatchVariant()
    return item
  })
  const texts = keywords.filter(item => typeof item === 'string').length
  if (texts !== 0 && texts !== keywords.length) throw noMatchVariant()
  return keywords
}

function oneOf(keywords: (string | number | bigint)[]): (candidate: unknown) => boolean {
  const set = new Set<unknown>(keywords)
  return candidate => set.has(candidate)
}

function noMatchVariant() {
  return formatError('`match` must have strings, integers or a boolean as value, any, except, text, text_any or phrase')
}

/** A missing field has 0 values, a scalar 1. */
function compileValuesCount(condition: JsonRecord): ValuesPredicate {
  const inBounds = compileRange(condition)
  const count = (value: unknown) => (value === null ? 0 : Array.isArray(value) ? value.length : 1)
  return values => (values.length === 0 ? inBounds(0) : values.some(value => inBounds(count(value))))
}

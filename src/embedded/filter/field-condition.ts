import { isMatchable } from '../../qdrant/places-filter.ts'
import { formatError, refuseFields } from '../errors.ts'
import { isRecord, type JsonRecord, readList } from '../wire/shape.ts'
import { compileGeo, GEO_CONDITIONS } from './geo.ts'
import { compileRange } from './range.ts'
import { compileTextMatch, TEXT_MATCHES, type TextIndex } from './text-match.ts'

/** Tests all values that the payload has under the key of a condition. */
export type ValuesPredicate = (values: unknown[]) => boolean

/** Compiles one `{key, match | range | geo_* | values_count | is_empty | is_null}` condition. */
export function compileFieldCondition(condition: JsonRecord, index: TextIndex | undefined): ValuesPredicate {
  const tests: ValuesPredicate[] = []
  if (isRecord(condition.match)) tests.push(anyElement(compileMatch(condition.match, index)))
  if (isRecord(condition.range)) tests.push(anyElement(compileRange(condition.range)))
  for (const kind of GEO_CONDITIONS) {
    if ((condition[kind] ?? null) !== null) tests.push(anyElement(compileGeo(kind, condition[kind])))
  }
  if (isRecord(condition.values_count)) tests.push(compileValuesCount(condition.values_count))
  const { is_empty, is_null } = condition
  if (typeof is_empty === 'boolean') tests.push(compileState(isEmptyValue, is_empty, is_empty))
  if (typeof is_null === 'boolean') tests.push(compileState(holdsNull, is_null, !is_null))
  const [test, second] = tests
  if (test === undefined || second !== undefined) {
    throw formatError(
      'a filter condition must have one of match, range, values_count, geo_radius, geo_bounding_box, geo_polygon, is_empty and is_null',
    )
  }
  return test
}

/** True for an array when it is true for one of its elements. */
function anyElement(test: (value: unknown) => boolean): ValuesPredicate {
  return values => values.some(value => (Array.isArray(value) ? value.some(test) : test(value)))
}

/** The condition `{is_empty: {key}}`: no value, or only empty ones. */
export const areEmpty: ValuesPredicate = values => values.every(isEmptyValue)

/** The condition `{is_null: {key}}`: a value that is null itself, and not a list that holds null. */
export const includeNull: ValuesPredicate = values => values.includes(null)

/** The conditions `{key, is_empty}` and `{key, is_null}` ask for one value with the state, and take a missing key on its own. */
function compileState(has: (value: unknown) => boolean, wanted: boolean, whenMissing: boolean): ValuesPredicate {
  return values => (values.length === 0 ? whenMissing : values.some(value => has(value) === wanted))
}

const isEmptyValue = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
const holdsNull = (value: unknown) => value === null || (Array.isArray(value) && value.includes(null))

function compileMatch(match: JsonRecord, index: TextIndex | undefined): (value: unknown) => boolean {
  const { value, any, except } = match
  refuseFields(match, ['prefix'], 'match')
  if ('value' in match) {
    if (!isMatchable(value) && typeof value !== 'boolean') throw noMatchVariant()
    return candidate => candidate === value
  }
  if ('any' in match) return oneOf(readKeywords(any))
  if ('except' in match) {
    const excluded = oneOf(readKeywords(except))
    return candidate => candidate !== null && !excluded(candidate)
  }
  const kind = TEXT_MATCHES.find(kind => typeof match[kind] === 'string')
  if (kind === undefined) throw noMatchVariant()
  const test = compileTextMatch(kind, String(match[kind]), index)
  return candidate => typeof candidate === 'string' && test(candidate)
}

function readKeywords(value: unknown): (string | number | bigint)[] {
  const keywords = readList(value, 'match').map(item => {
    if (!isMatchable(item)) throw noMatchVariant()
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

/** A null has 0 values, a scalar or an object 1. A missing key matches no count. */
function compileValuesCount(condition: JsonRecord): ValuesPredicate {
  const inBounds = compileRange(condition)
  const count = (value: unknown) => (value === null ? 0 : Array.isArray(value) ? value.length : 1)
  return values => values.some(value => inBounds(count(value)))
}

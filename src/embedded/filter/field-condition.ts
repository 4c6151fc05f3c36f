import { formatError, refuseFields } from '../errors.ts'
import { isRecord, type JsonRecord, readList, readNumber, toNumber } from '../wire/shape.ts'
import { readDatetime } from './datetime.ts'
import { compileTextMatch, TEXT_MATCHES, type TextIndex } from './text-match.ts'

/** Judges all values found under a condition's key. */
export type ValuesPredicate = (values: unknown[]) => boolean

/** Compiles one `{key, match | range | values_count | is_empty | is_null}` condition. */
export function compileFieldCondition(condition: JsonRecord, index: TextIndex | undefined): ValuesPredicate {
  refuseFields(condition, ['geo_bounding_box', 'geo_radius', 'geo_polygon'], 'filter condition')
  const tests: ValuesPredicate[] = []
  if (isRecord(condition.match)) tests.push(anyElement(compileMatch(condition.match, index)))
  if (isRecord(condition.range)) tests.push(anyElement(compileRange(condition.range)))
  if (isRecord(condition.values_count)) tests.push(compileValuesCount(condition.values_count))
  if (typeof condition.is_empty === 'boolean') tests.push(sameAs(condition.is_empty, isEmpty))
  if (typeof condition.is_null === 'boolean') tests.push(sameAs(condition.is_null, isNull))
  const [test, second] = tests
  if (test === undefined || second !== undefined) {
    throw formatError('data did not match any variant of untagged enum Condition')
  }
  return test
}

/** An array satisfies a condition when one of its elements does. */
function anyElement(test: (value: unknown) => boolean): ValuesPredicate {
  return values => values.some(value => (Array.isArray(value) ? value.some(test) : test(value)))
}

function sameAs(wanted: boolean, test: ValuesPredicate): ValuesPredicate {
  return values => test(values) === wanted
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
  return formatError('data did not match any variant of untagged enum Match')
}

const BOUNDS = ['lt', 'gt', 'gte', 'lte'] as const

/** Numbers compare with numbers, RFC 3339 texts with times. */
function compileRange(range: JsonRecord): (value: unknown) => boolean {
  const given = BOUNDS.filter(bound => range[bound] !== undefined && range[bound] !== null)
  if (given.some(bound => typeof range[bound] === 'string')) {
    return compileBounds(range, given, readTime, value => (typeof value === 'string' ? readDatetime(value) : undefined))
  }
  return compileBounds(range, given, value => readNumber(value, 'range') ?? Number.NaN, toNumber)
}

function compileBounds(
  range: JsonRecord,
  given: (typeof BOUNDS)[number][],
  readBound: (value: unknown) => number,
  readValue: (value: unknown) => number | undefined,
): (value: unknown) => boolean {
  const bound = (name: (typeof BOUNDS)[number], open: number) => (given.includes(name) ? readBound(range[name]) : open)
  const below = bound('lt', Number.POSITIVE_INFINITY)
  const above = bound('gt', Number.NEGATIVE_INFINITY)
  const least = bound('gte', Number.NEGATIVE_INFINITY)
  const most = bound('lte', Number.POSITIVE_INFINITY)
  return candidate => {
    const value = readValue(candidate)
    return value !== undefined && value < below && value > above && value >= least && value <= most
  }
}

function readTime(value: unknown): number {
  const time = typeof value === 'string' ? readDatetime(value) : undefined
  if (time === undefined) throw formatError(`'${String(value)}' does not match accepted datetime format (RFC3339)`)
  return time
}

/** A missing field counts 0 values, a scalar 1, an array its elements. */
function compileValuesCount(condition: JsonRecord): ValuesPredicate {
  const inBounds = compileRange(condition)
  const count = (value: unknown) => (value === null ? 0 : Array.isArray(value) ? value.length : 1)
  return values => (values.length === 0 ? inBounds(0) : values.some(value => inBounds(count(value))))
}

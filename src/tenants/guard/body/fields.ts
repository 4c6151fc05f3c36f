import { badRequest } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import { unknownField } from './refusals.ts'
import type { Scope } from './scope.ts'

/**
 * Passes over the next value and returns what is sent in its place, as JSON. It does so in steps where the value can be long.
 * @param index place of the value in its list; 0 outside of lists
 */
export type ReadValue = (reader: JsonReader, scope: Scope, index: number) => string | Steps<string>
/** The fields that an object may have. */
export type Fields = Readonly<Record<string, ReadValue>>
/** Fields of an object as JSON. */
export type Members = Map<string, string>

/** Leaves a value that can name neither points nor collections. */
export const keep: ReadValue = reader => reader.take()

/** Reads an object that has no other fields. @param where names it in errors */
export function* readMembers(reader: JsonReader, scope: Scope, fields: Fields, where: string): Steps<Members> {
  requireKind(reader, 'object', where)
  const members: Members = new Map()
  for (const key of reader.members()) {
    const read = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (read === undefined) throw unknownField(key, where)
    members.set(key, yield* inSteps(read(reader, scope, 0)))
  }
  return members
}

/** An object that has no other fields, and is sent as it is read. */
export function objectOf(fields: Fields, where: string): ReadValue {
  return function* readObject(reader, scope) {
    return printMembers(yield* readMembers(reader, scope, fields, where))
  }
}

export function* inSteps(value: string | Steps<string>): Steps<string> {
  return typeof value === 'string' ? value : yield* value
}

/** Prints members by their known names. Adding to a text copies nothing, so deep objects are not copied once for each level. */
export function printMembers(members: Members): string {
  let text = ''
  for (const [key, value] of members) text += `${text === '' ? '{' : ','}"${key}":${value}`
  return text === '' ? '{}' : `${text}}`
}

/** A list whose elements are all read in the same way, with a pause after each part of its text. Null is left. */
export function listOf(read: ReadValue, where: string): ReadValue {
  return function* readList(reader, scope) {
    if (reader.kind === 'null') return reader.take()
    requireKind(reader, 'array', where)
    const values: string[] = []
    for (const _ of reader.elements()) {
      values.push(yield* inSteps(read(reader, scope, values.length)))
      if (reader.isPauseDue()) yield
    }
    return `[${values.join(',')}]`
  }
}

/** One value, or a list of them. Null is left. */
export function oneOrMany(read: ReadValue, where: string): ReadValue {
  const readList = listOf(read, where)
  return (reader, scope) => (reader.kind === 'object' ? read(reader, scope, 0) : readList(reader, scope, 0))
}

/** A value that is left; as an object it has no other fields than these. */
export function withFields(names: readonly string[], where: string): ReadValue {
  return objectOrLeft(Object.fromEntries(names.map(name => [name, keep])), where)
}

/** The same with fields that are read in other ways. */
export function objectOrLeft(fields: Fields, where: string): ReadValue {
  const read = objectOf(fields, where)
  return (reader, scope) => (reader.kind === 'object' ? read(reader, scope, 0) : reader.take())
}

export function readString(reader: JsonReader, where: string): string {
  requireKind(reader, 'string', where)
  return JSON.parse(reader.take())
}

function requireKind(reader: JsonReader, kind: 'object' | 'array' | 'string', where: string): void {
  if (reader.kind !== kind) throw badRequest(`${where} must be ${kind === 'string' ? 'a' : 'an'} ${kind}.`)
}

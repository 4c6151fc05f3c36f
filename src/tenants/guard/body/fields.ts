import type { Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import { badRequest, unknownField } from './refusals.ts'
import type { Scope } from './scope.ts'

/** Passes over the next value and returns what is sent in its place, as JSON. */
export type ReadValue = (reader: JsonReader, scope: Scope) => string
/** The same with pauses, for long lists. */
export type ReadInSteps = (reader: JsonReader, scope: Scope) => Steps<string>
/** The fields that an object may have. */
export type Fields = Readonly<Record<string, ReadValue>>
/** Fields of an object as JSON. */
export type Members = Map<string, string>

/** Leaves a value that can name neither points nor collections. */
export const keep: ReadValue = reader => reader.take()

/** Reads an object that has no other fields. @param where names it in errors */
export function readMembers(reader: JsonReader, scope: Scope, fields: Fields, where: string): Members {
  requireKind(reader, 'object', where)
  const members: Members = new Map()
  for (const key of reader.members()) {
    const read = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (read === undefined) throw unknownField(key, where)
    members.set(key, read(reader, scope))
  }
  return members
}

/** Reads an object with one long list in it. */
export function* readLongMembers(
  reader: JsonReader,
  scope: Scope,
  fields: Fields,
  long: Readonly<Record<string, ReadInSteps>>,
  where: string,
): Steps<Members> {
  requireKind(reader, 'object', where)
  const members: Members = new Map()
  for (const key of reader.members()) {
    const readInSteps = Object.hasOwn(long, key) ? long[key] : undefined
    const read = Object.hasOwn(fields, key) ? fields[key] : undefined
    if (readInSteps !== undefined) members.set(key, yield* readInSteps(reader, scope))
    else if (read !== undefined) members.set(key, read(reader, scope))
    else throw unknownField(key, where)
  }
  return members
}

/** Prints members by their known names. Adding to a text copies nothing, so deep objects are not copied once for each level. */
export function printMembers(members: Members): string {
  let text = ''
  for (const [key, value] of members) text += `${text === '' ? '{' : ','}"${key}":${value}`
  return text === '' ? '{}' : `${text}}`
}

/** A list whose elements are all read in the same way. Null is left. */
export function listOf(read: ReadValue, where: string): ReadValue {
  return (reader, scope) => {
    if (reader.kind === 'null') return reader.take()
    requireKind(reader, 'array', where)
    let text = ''
    for (const _ of reader.elements()) text += `${text === '' ? '[' : ','}${read(reader, scope)}`
    return text === '' ? '[]' : `${text}]`
  }
}

/** A list with a pause after each part of its text. @param read gets the place of each element too */
export function longListOf(
  read: (reader: JsonReader, scope: Scope, index: number) => Steps<string>,
  where: string,
): ReadInSteps {
  return function* readList(reader, scope) {
    requireKind(reader, 'array', where)
    const values: string[] = []
    for (const _ of reader.elements()) {
      values.push(yield* read(reader, scope, values.length))
      if (reader.isPauseDue()) yield
    }
    return `[${values.join(',')}]`
  }
}

/** One value, or a list of them. Null is left. */
export function oneOrMany(read: ReadValue, where: string): ReadValue {
  const readList = listOf(read, where)
  return (reader, scope) => (reader.kind === 'object' ? read(reader, scope) : readList(reader, scope))
}

/** A value that is left; as an object it has no other fields than these. */
export function withFields(names: readonly string[], where: string): ReadValue {
  const fields = Object.fromEntries(names.map(name => [name, keep]))
  return (reader, scope) =>
    reader.kind === 'object' ? printMembers(readMembers(reader, scope, fields, where)) : reader.take()
}

/** The value of a member; null when it is absent or null. */
export function given(members: Members, key: string): string | null {
  const value = members.get(key) ?? 'null'
  return value === 'null' ? null : value
}

/** Reads a string. */
export function readString(reader: JsonReader, where: string): string {
  requireKind(reader, 'string', where)
  return JSON.parse(reader.take())
}

function requireKind(reader: JsonReader, kind: 'object' | 'array' | 'string', where: string): void {
  if (reader.kind !== kind) throw badRequest(`${where} must be ${kind === 'string' ? 'a' : 'an'} ${kind}.`)
}

import { badRequest } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import { shown } from './refusals.ts'

/** A point id as Qdrant prints it in JSON: `7`, or `"f47ac10b-58cc-4372-a567-0e02b2c3d479"`. Equal ids have equal texts. */
export type PointIdText = string

const INTEGER = /^(?:0|[1-9][0-9]{0,19})$/
/** The greatest integer of 64 bits. Of texts of the same length, the greater number is the later text. */
const GREATEST = '18446744073709551615'
/** With and without hyphens; as a URN and in braces it has them. */
const UUID = /^([0-9a-f]{8})(-?)([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{4})\2([0-9a-f]{12})$/i
const PRINTED = /^"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"$/
const WRAPPED = /^(?:urn:uuid:(.{36})|\{(.{36})\})$/

/** Reads an id in JSON: an unsigned integer of 64 bits, or a UUID in a spelling that Qdrant accepts. @throws StowageError `bad_request` */
export function readPointId(raw: string): PointIdText {
  if (PRINTED.test(raw)) return raw
  const id = raw.startsWith('"') ? readUuid(JSON.parse(raw)) : readInteger(raw)
  return id ?? refuse(raw)
}

/** Reads a list of ids. @throws StowageError `bad_request` */
export function* readPointIds(reader: JsonReader): Steps<PointIdText[]> {
  if (reader.kind !== 'array') throw badRequest('Point ids must be a list.')
  const ids: PointIdText[] = []
  for (const _ of reader.elements()) {
    ids.push(readPointId(reader.take()))
    if (reader.isPauseDue()) yield
  }
  return ids
}

/** Reads an id in a path. @throws StowageError `bad_request` */
export function readPointIdText(text: string): PointIdText {
  const id = /^[0-9]+$/.test(text) ? readInteger(text.replace(/^0+(?=.)/, '')) : readUuid(text)
  return id ?? refuse(text)
}

function readInteger(text: string): PointIdText | null {
  return INTEGER.test(text) && (text.length < GREATEST.length || text <= GREATEST) ? text : null
}

function readUuid(text: string): PointIdText | null {
  const [, urn, braced] = WRAPPED.exec(text) ?? []
  const match = UUID.exec(urn ?? braced ?? text)
  if (match === null) return null
  const [, first, , ...rest] = match
  return JSON.stringify([first, ...rest].join('-').toLowerCase())
}

function refuse(spelled: string): never {
  throw badRequest(`${shown(spelled)} is not a point id: an unsigned integer or a UUID`)
}

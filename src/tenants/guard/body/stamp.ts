import { badRequest, type StowageError } from '../../../core/errors.ts'
import type { Steps } from '../../../core/steps.ts'
import type { JsonReader } from '../../../qdrant/json-reader.ts'
import type { TenantStamp } from '../../tenant.ts'
import { forbidden } from './refusals.ts'

/** The tenant field in a payload, or in an object around the field. */
export interface Stamp {
  /** The names on the way to it. */
  readonly path: readonly string[]
  readonly value: string
}

/** A field `a.b` is read as Qdrant reads it in a filter: `b` inside `a`. */
export function toStamp({ field, value }: TenantStamp): Stamp {
  return { path: field.split('.'), value }
}

/** A payload with nothing but the tenant field, as JSON. */
export function stampAlone({ path, value }: Stamp): string {
  return path.reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, JSON.stringify(value))
}

/**
 * Reads a payload and returns it with the tenant field. All else keeps its spelling.
 * @param whenAbsent `write` adds the field; `leave` adds it only inside an object that the payload holds on the way to the field
 * @param where names the payload in errors
 * @throws StowageError `forbidden` when the payload gives the field another value, `bad_request` when it is no object
 */
export function* stampPayload(
  reader: JsonReader,
  stamp: Stamp,
  whenAbsent: 'write' | 'leave',
  where: string,
): Steps<string> {
  if (reader.kind !== 'object') throw badRequest(`${where} must be an object.`)
  const { path, value } = stamp
  const [name, ...rest] = path
  const { text } = reader
  let [stamped, copied, empty, present] = ['', reader.at + 1, true, false]
  for (const key of reader.members()) {
    empty = false
    if (reader.isPauseDue()) yield
    if (key !== name) {
      reader.take()
      continue
    }
    present = true
    stamped += text.slice(copied, reader.at)
    stamped +=
      rest.length === 0 ? readOwn(reader, stamp, where) : yield* stampInner(reader, { path: rest, value }, where)
    copied = reader.at
  }
  const body = stamped + text.slice(copied, reader.at)
  if (present || whenAbsent === 'leave') return `{${body}`
  return `{${stampAlone(stamp).slice(1, -1)}${empty ? '' : ','}${body}`
}

function readOwn(reader: JsonReader, { value }: Stamp, where: string): string {
  const raw = reader.take()
  if (!raw.startsWith('"') || JSON.parse(raw) !== value) throw tenantField(where)
  return raw
}

function stampInner(reader: JsonReader, stamp: Stamp, where: string): Steps<string> {
  if (reader.kind !== 'object') throw tenantField(where)
  return stampPayload(reader, stamp, 'write', where)
}

/** A change of the tenant field is refused. */
export function tenantField(where: string): StowageError {
  return forbidden(`${where} gives the tenant field another value.`)
}

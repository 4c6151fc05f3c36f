import { formatError } from '../errors.ts'
import { only, parsePath, without } from '../filter/payload-path.ts'
import { isRecord, type JsonRecord, readList, readString } from './shape.ts'

/** Makes the `payload` member of an answer; undefined leaves it out. */
export type PayloadSelector = (payload: JsonRecord) => JsonRecord | undefined

/** Reads `with_payload`: boolean, list of keys, `{include}` or `{exclude}`. */
export function readPayloadSelector(value: unknown, fallback: boolean): PayloadSelector {
  const wanted = value ?? fallback
  if (typeof wanted === 'boolean') return payload => (wanted ? payload : undefined)
  if (isRecord(wanted) && 'exclude' in wanted) {
    const excluded = readPaths(wanted.exclude)
    return payload => without(payload, excluded)
  }
  const included = readPaths(isRecord(wanted) ? wanted.include : wanted)
  return payload => (only(payload, included) ?? {}) as JsonRecord
}

/** Names of the vectors an answer brings: all, none, or a list. */
export type VectorSelector = 'all' | 'none' | string[]

/** Reads `with_vector` (alias `with_vectors`): boolean or list of names. */
export function readVectorSelector(body: JsonRecord, fallback = false): VectorSelector {
  const wanted = body.with_vector ?? body.with_vectors ?? fallback
  if (typeof wanted === 'boolean') return wanted ? 'all' : 'none'
  if (!Array.isArray(wanted)) throw formatError('data did not match any variant of untagged enum WithVector')
  return wanted.map(name => readString(name, 'with_vector'))
}

function readPaths(value: unknown) {
  return readList(value, 'with_payload').map(key => parsePath(readString(key, 'with_payload')))
}

import { only, parsePath, without } from '../filter/payload-path.ts'
import { isRecord, type JsonRecord, readList, readString } from './shape.ts'

/** Returns the `payload` member of an answer; undefined leaves it out. */
type PayloadSelector = (payload: JsonRecord) => JsonRecord | undefined

/** Reads `with_payload`: boolean, list of keys, `{include}` or `{exclude}`. */
export function readPayloadSelector(selection: unknown): PayloadSelector {
  if (typeof selection === 'boolean') return payload => (selection ? payload : undefined)
  if (isRecord(selection) && 'exclude' in selection) {
    const excluded = readPaths(selection.exclude)
    return payload => without(payload, excluded)
  }
  const included = readPaths(isRecord(selection) ? selection.include : selection)
  return payload => only(payload, included) as JsonRecord
}

/** Reads `with_vector` (alias `with_vectors`), a boolean or list of names. Undefined leaves the vectors out. */
export function readVectorNames(body: JsonRecord, all: readonly string[]): readonly string[] | undefined {
  const selection = body.with_vector ?? body.with_vectors ?? false
  if (typeof selection === 'boolean') return selection ? all : undefined
  return readList(selection, 'with_vector').map(name => readString(name, 'with_vector'))
}

function readPaths(value: unknown) {
  return readList(value, 'with_payload').map(key => parsePath(readString(key, 'with_payload')))
}

import { JsonReader } from '../../qdrant/json-reader.ts'
import { kindOf, present, RawJsonError } from '../../qdrant/raw-json.ts'

/** The raw members of a JSON object. */
export type RawObject = ReadonlyMap<string, string>

/** Stops reading a request. The reason is written to the log. @throws RawJsonError */
export function notUnderstood(reason: string): never {
  throw new RawJsonError(reason)
}

/** Reads a text of any depth, each character once. It is read to its end only when all of it can be understood: bodies have up to 8 MiB. */
export function readerOf(raw: string): JsonReader {
  return new JsonReader(raw, { deepest: Number.POSITIVE_INFINITY })
}

/** The raw members of an object that has no other keys. What follows an unknown key is not read. @throws RawJsonError */
export function knownMembers(raw: string, known: readonly string[]): RawObject {
  const found = new Map<string, string>()
  const reader = readerOf(raw)
  for (const key of reader.members()) {
    onlyKeys([key], known)
    found.set(key, reader.take())
  }
  reader.end()
  return found
}

/** Refuses unknown keys, because a newer Qdrant may give them a meaning. */
export function onlyKeys(keys: Iterable<string>, known: readonly string[]): void {
  for (const key of keys) if (!known.includes(key)) notUnderstood(`unknown key ${key}`)
}

export function required(object: RawObject, key: string): string {
  return present(object, key) ?? notUnderstood(`${key} is missing`)
}

/** An integer in a range, without a decimal point (Qdrant refuses `5.0`); null when absent. */
export function readInteger(object: RawObject, key: string, least: number, most: number): number | null {
  const raw = present(object, key)
  if (raw === null) return null
  const value = /^\d{1,9}$/.test(raw) ? Number(raw) : -1
  return value >= least && value <= most ? value : notUnderstood(`${key} is not an integer from ${least} to ${most}`)
}

/** The raw text of a member of one kind; null when absent. */
export function readRaw(object: RawObject, key: string, kind: 'object' | 'string' | 'number'): string | null {
  const raw = present(object, key)
  return raw === null || kindOf(raw) === kind ? raw : notUnderstood(`${key} is not of type ${kind}`)
}

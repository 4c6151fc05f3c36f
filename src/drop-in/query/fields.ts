import { kindOf, RawJsonError } from '../../qdrant/raw-json.ts'

/** A JSON object cut into its raw members. */
export type RawObject = ReadonlyMap<string, string>

/** Ends the reading of a request that is not understood; the reason reaches the operator's log. */
export function notUnderstood(reason: string): never {
  throw new RawJsonError(reason)
}

/** Refuses unknown keys: a newer Qdrant may give them a meaning that must not be lost. */
export function onlyKeys(object: RawObject, known: readonly string[]): void {
  for (const key of object.keys()) if (!known.includes(key)) notUnderstood(`unknown key ${key}`)
}

/** A member's raw text, null where it is absent or null: Qdrant makes no difference. */
export function present(object: RawObject, key: string): string | null {
  const raw = object.get(key) ?? 'null'
  return raw === 'null' ? null : raw
}

export function required(object: RawObject, key: string): string {
  return present(object, key) ?? notUnderstood(`no ${key}`)
}

/** An integer spelt as one (`5.0` is refused by Qdrant), in its range; null where absent. */
export function readInteger(object: RawObject, key: string, least: number, most: number): number | null {
  const raw = present(object, key)
  if (raw === null) return null
  const value = /^\d{1,9}$/.test(raw) ? Number(raw) : -1
  return value >= least && value <= most ? value : notUnderstood(`${key} is no integer from ${least} to ${most}`)
}

/** The raw text of a member that must be of one kind; null where absent. */
export function readRaw(object: RawObject, key: string, kind: 'object' | 'string' | 'number'): string | null {
  const raw = present(object, key)
  return raw === null || kindOf(raw) === kind ? raw : notUnderstood(`${key} is no ${kind}`)
}

import { wrongInput } from '../errors.ts'
import { isRecord, type JsonRecord } from '../wire/shape.ts'

/** One step of a payload key: a member, an array element, or every element. */
type Step = { key: string } | { index: number } | 'each'
type PayloadPath = readonly Step[]

/** Steps of a payload key. A key that sets a payload nests it as deep. */
export const MAXIMUM_PATH_STEPS = 128

const TOKEN = /(?:^|\.)(?:"([^"]*)"|([^."[\]]+))|\[(\d*)\]/y

/** Parses Qdrant's key grammar: `a.b`, `a[].b`, `a[0]`, `"quoted.key"`. */
export function parsePath(text: string): PayloadPath {
  const steps: Step[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)
    const key = token?.[1] ?? token?.[2]
    if (token === null || (key === undefined && steps.length === 0)) throw wrongInput(`Invalid JSON path: ${text}`)
    if (key !== undefined) steps.push({ key })
    else steps.push(token[3] === '' ? 'each' : { index: Number(token[3]) })
  }
  if (steps.length > MAXIMUM_PATH_STEPS) throw wrongInput(`Invalid JSON path: more than ${MAXIMUM_PATH_STEPS} steps`)
  if (steps.length === 0) throw wrongInput('Invalid JSON path: empty key')
  return steps
}

/** All values at the path. */
export function valuesAt(value: unknown, path: PayloadPath, from = 0): unknown[] {
  const step = path[from]
  if (step === undefined) return [value]
  if (step === 'each') return Array.isArray(value) ? value.flatMap(item => valuesAt(item, path, from + 1)) : []
  if ('index' in step)
    return Array.isArray(value) && step.index < value.length ? valuesAt(value[step.index], path, from + 1) : []
  return isRecord(value) && Object.hasOwn(value, step.key) ? valuesAt(value[step.key], path, from + 1) : []
}

/** Returns a copy without the values at the paths. The copy shares the other values with the original. */
export function without(payload: JsonRecord, paths: readonly PayloadPath[]): JsonRecord {
  return paths.reduce<JsonRecord>((rest, path) => removeAt(rest, path, 0) as JsonRecord, payload)
}

function removeAt(value: unknown, path: PayloadPath, from: number): unknown {
  const step = path[from]
  const last = from === path.length - 1
  if (step === undefined) return value
  if (step === 'each' || 'index' in step) {
    if (!Array.isArray(value)) return value
    const here = (index: number) => step === 'each' || step.index === index
    // Qdrant takes no single element out of a list.
    if (last) return step === 'each' ? [] : value
    return value.map((item, index) => (here(index) ? removeAt(item, path, from + 1) : item))
  }
  if (!isRecord(value) || !Object.hasOwn(value, step.key)) return value
  const entries = Object.entries(value)
  const kept = last
    ? entries.filter(([key]) => key !== step.key)
    : entries.map(([key, member]) => [key, key === step.key ? removeAt(member, path, from + 1) : member] as const)
  return Object.fromEntries(kept)
}

/**
 * Returns a copy that has only the values at the paths, nested as in the original. As in Qdrant, what a path leads to but not through stays: of
 * `a.b` a text at `a`, and of `a[].b` an element of `a` that is a text. Of a list that a path does not go through, the empty list stays.
 */
export function only(value: unknown, paths: readonly PayloadPath[]): unknown {
  if (paths.some(path => path.length === 0)) return value
  const behind = (isStep: (step: Step | undefined) => boolean) =>
    paths.filter(path => isStep(path[0])).map(path => path.slice(1))
  if (Array.isArray(value)) {
    const inner = behind(step => step === 'each')
    return inner.length === 0 ? [] : value.map(item => only(item, inner))
  }
  if (!isRecord(value)) return value
  const members = Object.entries(value).flatMap(([key, member]) => {
    const inner = behind(step => isKey(step, key))
    return inner.length === 0 ? [] : [[key, only(member, inner)] as const]
  })
  return Object.fromEntries(members)
}

/**
 * Returns a copy with `patch` merged into the objects at the path, as Qdrant does: a null of the patch removes the member, a
 * key makes an object of anything else, an index or `[]` makes a list of anything else, and no list grows.
 */
export function mergedAt(payload: JsonRecord, path: PayloadPath, patch: JsonRecord): JsonRecord {
  return setAt(payload, path, 0, patch) as JsonRecord
}

function setAt(value: unknown, path: PayloadPath, from: number, patch: JsonRecord): unknown {
  const step = path[from]
  if (step === undefined) return merged(isRecord(value) ? value : {}, patch)
  if (step === 'each' || 'index' in step) {
    const here = (index: number) => step === 'each' || step.index === index
    const list = Array.isArray(value) ? value : []
    return list.map((item, index) => (here(index) ? setAt(item, path, from + 1, patch) : item))
  }
  const record = isRecord(value) ? value : {}
  const inner = Object.hasOwn(record, step.key) ? record[step.key] : undefined
  return { ...record, [step.key]: setAt(inner, path, from + 1, patch) }
}

function merged(record: JsonRecord, patch: JsonRecord): JsonRecord {
  const entries = Object.entries({ ...record, ...patch })
  const isRemoved = (key: string) => Object.hasOwn(patch, key) && patch[key] === null
  return Object.fromEntries(entries.filter(([key]) => !isRemoved(key)))
}

function isKey(step: Step | undefined, key: string): boolean {
  return typeof step === 'object' && 'key' in step && step.key === key
}

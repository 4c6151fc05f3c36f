import { wrongInput } from '../errors.ts'
import { isRecord, type JsonRecord } from '../wire/shape.ts'

/** One step of a payload key: a member, an array element, or every element. */
type Step = { key: string } | { index: number } | 'each'
export type PayloadPath = readonly Step[]

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
  if (steps.length === 0) throw wrongInput('Invalid JSON path: empty key')
  return steps
}

/** All values at the path. */
export function valuesAt(value: unknown, path: PayloadPath, from = 0): unknown[] {
  const step = path[from]
  if (step === undefined) return [value]
  if (step === 'each') return Array.isArray(value) ? value.flatMap(item => valuesAt(item, path, from + 1)) : []
  if ('index' in step) {
    return Array.isArray(value) && step.index < value.length ? valuesAt(value[step.index], path, from + 1) : []
  }
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
    if (last) return step === 'each' ? [] : value.filter((_, index) => !here(index))
    return value.map((item, index) => (here(index) ? removeAt(item, path, from + 1) : item))
  }
  if (!isRecord(value) || !Object.hasOwn(value, step.key)) return value
  const entries = Object.entries(value)
  const kept = last
    ? entries.filter(([key]) => key !== step.key)
    : entries.map(([key, member]) => [key, key === step.key ? removeAt(member, path, from + 1) : member] as const)
  return Object.fromEntries(kept)
}

/** Returns a copy that has only the values at the paths, nested as in the original. */
export function only(value: unknown, paths: readonly PayloadPath[]): unknown {
  if (paths.some(path => path.length === 0)) return value
  if (Array.isArray(value)) {
    const inner = paths.filter(path => path[0] === 'each').map(path => path.slice(1))
    return inner.length === 0 ? undefined : value.map(item => only(item, inner)).filter(item => item !== undefined)
  }
  if (!isRecord(value)) return undefined
  const members: [string, unknown][] = []
  for (const [key, member] of Object.entries(value)) {
    const inner = paths.filter(path => isKey(path[0], key)).map(path => path.slice(1))
    const chosen = inner.length === 0 ? undefined : only(member, inner)
    if (chosen !== undefined) members.push([key, chosen])
  }
  return Object.fromEntries(members)
}

/** Returns a copy with `patch` merged into the object at the path. Missing objects are created. */
export function mergedAt(payload: JsonRecord, path: PayloadPath, patch: JsonRecord): JsonRecord {
  const [step, ...rest] = path
  if (step === undefined) return { ...payload, ...patch }
  if (step === 'each' || 'index' in step) throw wrongInput('only object keys are supported in `key`')
  const inner = payload[step.key]
  return { ...payload, [step.key]: mergedAt(isRecord(inner) ? inner : {}, rest, patch) }
}

function isKey(step: Step | undefined, key: string): boolean {
  return typeof step === 'object' && 'key' in step && step.key === key
}

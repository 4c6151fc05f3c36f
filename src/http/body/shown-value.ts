import type { Json } from '../../core/types.ts'

const MAX_LENGTH = 120
const MAX_ITEMS = 4

/** A value as short JSON for an error's details: long ones end in `…`. Cheap however large the value is. */
export function shownValue(value: Json | undefined): string | null {
  if (value === undefined) return null
  const printed = abbreviated(value, 3)
  return printed.length > MAX_LENGTH ? `${printed.slice(0, MAX_LENGTH)}…` : printed
}

function abbreviated(value: Json, levels: number): string {
  // JSON has no Infinity, though `1e999` is read as one; bigints print like it too.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') {
    const start = value.slice(0, MAX_LENGTH)
    return JSON.stringify(start) + (start.length < value.length ? '…' : '')
  }
  if (typeof value !== 'object' || value === null) return String(value)
  if (levels === 0) return '…'
  return Array.isArray(value) ? abbreviatedList(value, levels) : abbreviatedObject(value, levels)
}

function abbreviatedList(list: Json[], levels: number): string {
  const items = list.slice(0, MAX_ITEMS).map(item => abbreviated(item, levels - 1))
  return `[${[...items, ...(list.length > MAX_ITEMS ? ['…'] : [])].join(',')}]`
}

function abbreviatedObject(object: { [key: string]: Json }, levels: number): string {
  const members: string[] = []
  for (const key in object) {
    if (members.length === MAX_ITEMS) {
      members.push('…')
      break
    }
    members.push(`${abbreviated(key, 0)}:${abbreviated(object[key] ?? null, levels - 1)}`)
  }
  return `{${members.join(',')}}`
}

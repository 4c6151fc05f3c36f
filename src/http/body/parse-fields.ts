import { z } from 'zod'
import { closestName } from '../../core/closest-name.ts'
import { badRequest, type RequestFault } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/types.ts'

/** Most faults in an answer. A body can have a hundred thousand. */
const MAX_FAULTS = 20
/** Longest key that is shown, in UTF-16 code units. */
const LONGEST_KEY = 100
const MAX_SHOWN_LENGTH = 120
const MAX_SHOWN_ITEMS = 4

/**
 * Checks the fields of a request.
 * @param json the request, not nested deeper than `refuseDeepField` allows
 * @throws StowageError `bad_request` with a `RequestFault` for each wrong field
 */
export function parseFields<Schema extends z.ZodType>(schema: Schema, json: Json): z.infer<Schema> {
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  const known = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  const faults = parsed.error.issues.slice(0, MAX_FAULTS).flatMap(issue => faultsOf(issue, json, known))
  const details = faults.slice(0, MAX_FAULTS)
  const summary = details.map(({ field, message }) => `${field}: ${message}`).join('; ')
  throw badRequest(`Invalid request: ${summary}`, { details })
}

/** What zod says of a union that has no message of its own. */
const NO_MESSAGE = 'Invalid input'

/** @param known the keys of the request itself */
function faultsOf(issue: z.core.$ZodIssue, body: Json, known: readonly string[]): RequestFault[] {
  if (issue.code === 'unrecognized_keys') {
    const { path } = issue
    return issue.keys.slice(0, MAX_FAULTS).map(key => ({
      field: [...path, key.slice(0, LONGEST_KEY)].join('.'),
      message: unknownKey(key, path.length === 0 ? known : []),
      value: shownValue(valueAt(body, [...path, key])),
    }))
  }
  const branches = issue.code === 'invalid_union' && issue.message === NO_MESSAGE ? issue.errors : []
  // A value of the type of one branch alone is wrong in what that branch says.
  const [meant, ...others] = branches.filter(([first]) => first !== undefined && !isOtherType(first))
  if (meant !== undefined && others.length === 0)
    return meant.flatMap(inner => faultsOf({ ...inner, path: [...issue.path, ...inner.path] }, body, known))
  const message = branches.length > 0 ? unionMessage(branches) : issue.message
  return [{ field: issue.path.join('.') || 'body', message, value: shownValue(valueAt(body, issue.path)) }]
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = key.length > LONGEST_KEY ? null : closestName(key, known)
  return meant === null ? 'unknown key' : `unknown key; did you mean ${meant}?`
}

/** Whether a value has another type than a branch of a union wants. */
function isOtherType({ code, path }: z.core.$ZodIssue): boolean {
  return code === 'invalid_type' && path.length === 0
}

function unionMessage(branches: z.core.$ZodIssue[][]): string {
  const messages = branches.map(issues =>
    issues
      .slice(0, MAX_FAULTS)
      .map(issue => (issue.path.length > 0 ? `[${issue.path.join('.')}] ` : '') + issue.message)
      .join(', '),
  )
  return messages.join(' - or - ')
}

function valueAt(body: Json, path: readonly PropertyKey[]): Json | undefined {
  let value: Json | undefined = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as JsonObject)[String(key)]
  }
  return value
}

/** A value as JSON of at most 120 characters and a final `…` when it is cut; null for a missing value. */
function shownValue(value: Json | undefined): string | null {
  if (value === undefined) return null
  const shown = abbreviate(value, 3)
  return shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…` : shown
}

/** Prints the first items of the given levels only, so that large values are cheap. */
function abbreviate(value: Json, levels: number): string {
  if (typeof value === 'string')
    return JSON.stringify(value.slice(0, MAX_SHOWN_LENGTH)) + (value.length > MAX_SHOWN_LENGTH ? '…' : '')
  // Numbers can be bigint, or Infinity from `1e999`. JSON.stringify prints neither.
  if (typeof value !== 'object' || value === null) return String(value)
  if (levels === 0) return '…'
  const isList = Array.isArray(value)
  const items = isList
    ? value.slice(0, MAX_SHOWN_ITEMS + 1).map(item => abbreviate(item, levels - 1))
    : Object.entries(value)
        .slice(0, MAX_SHOWN_ITEMS + 1)
        .map(([key, item]) => `${abbreviate(key, 0)}:${abbreviate(item, levels - 1)}`)
  if (items.length > MAX_SHOWN_ITEMS) items[MAX_SHOWN_ITEMS] = '…'
  return isList ? `[${items.join(',')}]` : `{${items.join(',')}}`
}

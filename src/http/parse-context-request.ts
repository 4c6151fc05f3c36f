import type { z } from 'zod'
import { StowageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/types.ts'
import { type ContextRequest, contextRequestSchema } from '../pipeline/context-request.ts'
import { depthOf, printJson } from './json-body.ts'

/** As deep as Qdrant follows nested queries; real filters have a handful of levels. */
const MAX_FILTER_DEPTH = 64
const SHOWN_VALUE_LENGTH = 120

/** One fault of a request: where, why, and what stood there (as JSON, cut), null when nothing did. */
export interface RequestFault {
  field: string
  message: string
  value: string | null
}

/**
 * Reads the body of `POST /v1/context`.
 * @throws StowageError bad_request with all faults in `details`, each naming its field and value.
 */
export function parseContextRequest(body: Json): ContextRequest {
  const parsed = contextRequestSchema.safeParse(body)
  const faults = parsed.success ? [] : parsed.error.issues.flatMap(issue => faultsOf(issue, body))
  const filter = isObject(body) && isObject(body.filter) ? body.filter : undefined
  if (filter !== undefined && depthOf(filter, MAX_FILTER_DEPTH) > MAX_FILTER_DEPTH) {
    faults.push({ field: 'filter', message: `nested deeper than ${MAX_FILTER_DEPTH} levels`, value: shown(filter) })
  }
  if (!parsed.success || faults.length > 0) throw badRequest(faults)
  // The schema's copy of the filter lacks keys like `__proto__`; the upstream has to see and judge them all.
  return { ...parsed.data, filter }
}

function badRequest(faults: RequestFault[]): StowageError {
  const summary = faults.map(fault => `${fault.field}: ${fault.message}`).join('; ')
  return new StowageError('bad_request', `Invalid request: ${summary}`, { details: faults })
}

function faultsOf(issue: z.core.$ZodIssue, body: Json): RequestFault[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(key => ({ field: key, message: 'unknown key', value: shown(valueAt(body, [key])) }))
  }
  const message = issue.code === 'invalid_union' ? unionMessage(issue.errors) : issue.message
  return [{ field: issue.path.join('.') || 'body', message, value: shown(valueAt(body, issue.path)) }]
}

function unionMessage(branches: z.core.$ZodIssue[][]): string {
  const messages = branches.map(issues =>
    issues.map(issue => (issue.path.length > 0 ? `[${issue.path.join('.')}] ` : '') + issue.message).join(', '),
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

function shown(value: Json | undefined): string | null {
  if (value === undefined) return null
  // JSON has no Infinity, though `1e999` is read as one.
  const printed = typeof value === 'number' && !Number.isFinite(value) ? String(value) : printJson(value)
  return printed.length > SHOWN_VALUE_LENGTH ? `${printed.slice(0, SHOWN_VALUE_LENGTH)}…` : printed
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

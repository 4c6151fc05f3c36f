import type { z } from 'zod'
import { StowageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/types.ts'
import { type ContextRequest, contextRequestSchema } from '../pipeline/context-request.ts'
import { parseJsonBody } from './body/json-body.ts'
import { shownValue } from './body/shown-value.ts'

/** As deep as Qdrant follows nested queries; real filters have a handful of levels, and all other fields at most one. */
const MAX_FIELD_DEPTH = 64
/** What a person can use; a body can be wrong in a hundred thousand places. */
const MAX_FAULTS = 20

/** One fault of a request: where, why, and what stood there (as JSON, cut), null when nothing did. */
export interface RequestFault {
  field: string
  message: string
  value: string | null
}

/**
 * Reads the body of `POST /v1/context`.
 * @throws StowageError bad_request with the faults in `details`, each naming its field and value.
 */
export function parseContextRequest(body: Buffer): ContextRequest {
  const json = parseJsonBody(body, MAX_FIELD_DEPTH)
  const parsed = contextRequestSchema.safeParse(json)
  if (!parsed.success) throw badRequest(listFaults(parsed.error.issues, json))
  // The schema's copy of a filter lacks keys like `__proto__`; the upstream has to see and judge them all.
  return { ...parsed.data, filter: (json as { filter?: JsonObject }).filter }
}

function badRequest(faults: RequestFault[]): StowageError {
  const summary = faults.map(fault => `${fault.field}: ${fault.message}`).join('; ')
  return new StowageError('bad_request', `Invalid request: ${summary}`, { details: faults })
}

function listFaults(issues: z.core.$ZodIssue[], body: Json): RequestFault[] {
  const faults: RequestFault[] = []
  for (const issue of issues) {
    for (const fault of faultsOf(issue, body)) {
      if (faults.push(fault) === MAX_FAULTS) return faults
    }
  }
  return faults
}

function* faultsOf(issue: z.core.$ZodIssue, body: Json): Generator<RequestFault> {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) {
      yield { field: key.slice(0, 100), message: 'unknown key', value: shownValue(valueAt(body, [key])) }
    }
    return
  }
  const message = issue.code === 'invalid_union' ? unionMessage(issue.errors) : issue.message
  yield { field: issue.path.join('.') || 'body', message, value: shownValue(valueAt(body, issue.path)) }
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

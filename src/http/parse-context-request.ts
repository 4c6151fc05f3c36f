import type { JsonObject } from '../core/types.ts'
import { type ContextRequest, contextRequestSchema } from '../pipeline/context-request.ts'
import { parseJsonBody } from './body/json-body.ts'
import { parseFields } from './body/parse-fields.ts'

/** Qdrant's own limit for nested queries. Real filters have a few levels; other fields have at most one. */
export const MAX_FIELD_DEPTH = 64

/**
 * Parses the body of `POST /v1/context`.
 * @throws StowageError `bad_request` with a `RequestFault` for each wrong field
 */
export function parseContextRequest(body: Buffer): ContextRequest {
  const json = parseJsonBody(body, MAX_FIELD_DEPTH)
  // zod removes keys such as `__proto__` from the filter. Qdrant must see all of them.
  return { ...parseFields(contextRequestSchema, json), filter: (json as { filter?: JsonObject }).filter }
}

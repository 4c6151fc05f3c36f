import { finish } from '../core/steps.ts'
import { type ContextRequest, contextRequestSchema } from '../pipeline/context-request.ts'
import { parseJsonBody, wrongField } from './body/json-body.ts'
import { parseFields } from './body/parse-fields.ts'
import { scanJson } from './body/scan-json.ts'

/** Qdrant's own limit for nested queries. Real filters have a few levels; other fields have at most one. */
export const MAX_FIELD_DEPTH = 64
/** Most bytes of a field, such as `filter`. JSON with hundreds of thousands of small parts would take seconds. */
export const LONGEST_FIELD = 256 * 1024
/** They are one text, and numbers that their own limit counts. */
const LONG_FIELDS = ['query', 'vector']

/**
 * Parses the body of `POST /v1/context`.
 * @throws StowageError `bad_request` with a `RequestFault` for each wrong field
 */
export function parseContextRequest(body: Buffer): ContextRequest {
  refuseLongFields(body)
  const json = parseJsonBody(body, MAX_FIELD_DEPTH)
  // zod removes keys such as `__proto__` from the filter. Qdrant must see all of them.
  return { ...parseFields(contextRequestSchema, json), filter: (json as Pick<ContextRequest, 'filter'>).filter }
}

function refuseLongFields(body: Buffer): void {
  const scan = scanJson(body, true, {
    enter: () => null,
    leave(_body, key, _index, { start, end }) {
      // The parts of a list have no key. Then the whole body is what is wrong.
      const length = key === '' ? end : end - start
      if (length <= LONGEST_FIELD || LONG_FIELDS.includes(key)) return
      throw wrongField(key.slice(0, 100) || 'body', `is longer than ${LONGEST_FIELD} bytes`)
    },
  })
  finish(scan)
}

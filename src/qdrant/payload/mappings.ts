import { z } from 'zod'
import { messageOf } from '../../core/errors.ts'
import { PAYLOAD_FIELDS, type PayloadMapping } from './read-chunk.ts'

/** Payload paths of collections that stowage has not written, by the name of the collection. */
export type PayloadMappings = Readonly<Record<string, PayloadMapping>>

const path = z.string('must be a dotted path of the payload, such as "metadata.body"').min(1, 'must not be empty')
const mappingSchema = z.strictObject(Object.fromEntries(PAYLOAD_FIELDS.map(field => [field, path.optional()])), {
  error: issue =>
    issue.code === 'unrecognized_keys'
      ? `unknown field ${issue.keys?.join(', ')}; the fields are ${PAYLOAD_FIELDS.join(', ')}`
      : 'must be an object of fields and payload paths',
})
const mappingsSchema = z.record(z.string(), mappingSchema, 'must be an object with a collection as each key')

/**
 * Checks `{"collection": {"text": "body", "doc_id": "metadata.source"}}`.
 * @returns the mappings, or one line per fault with the place and the value
 */
export function parseMappings(json: string): { mappings: PayloadMappings; faults: string[] } {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch (error) {
    return { mappings: {}, faults: [`is not JSON: ${messageOf(error)}`] }
  }
  const { success, data, error } = mappingsSchema.safeParse(value)
  if (success) return { mappings: data, faults: [] }
  return { mappings: {}, faults: error.issues.map(issue => describeFault(issue, value)) }
}

function describeFault({ path: keys, message, code }: z.core.$ZodIssue, value: unknown): string {
  if (keys.length === 0) return message
  const place = keys.map(String).join('.')
  if (code === 'unrecognized_keys') return `${place}: ${message}`
  const wrong = keys.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value)
  return `${place}=${JSON.stringify(wrong)}: ${message}`
}

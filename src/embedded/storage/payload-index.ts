import { formatError, refuseFields } from '../errors.ts'
import { readTextIndex, type TextIndex } from '../filter/text-match.ts'
import { isRecord } from '../wire/shape.ts'

const TYPES = ['keyword', 'integer', 'float', 'geo', 'text', 'bool', 'datetime', 'uuid'] as const
export type IndexType = (typeof TYPES)[number]

/** A payload index: the schema as the client sent it, its type, and how to tokenize when it is a text index. */
export interface PayloadIndex {
  schema: unknown
  /** Undefined for a type that Qdrant does not have. */
  type: IndexType | undefined
  text: TextIndex | undefined
}

/** @throws EngineError 501 on options of a text index that the engine does not have */
export function readIndex(schema: unknown): PayloadIndex {
  return { schema, type: typeOf(schema), text: readTextIndex(schema) }
}

/** @throws EngineError 400 on an unknown type, 501 on options that would change answers */
export function checkSchema(schema: unknown): void {
  if (schema === null) return
  const type = typeOf(schema)
  if (type === undefined) throw formatError(`unknown payload index type, expected one of ${TYPES.join(', ')}`)
  if (isRecord(schema) && type === 'text') refuseFields(schema, ['scoring'], 'text index option')
}

function typeOf(schema: unknown): IndexType | undefined {
  const name = isRecord(schema) ? schema.type : schema
  return TYPES.find(type => type === name)
}

/** Whether points can be ordered by a field with this index. */
export function hasOrder(index: PayloadIndex | undefined): boolean {
  if (index?.type === 'integer') return !(isRecord(index.schema) && index.schema.range === false)
  return index?.type === 'float' || index?.type === 'datetime'
}

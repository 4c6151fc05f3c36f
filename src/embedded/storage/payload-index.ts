import { formatError, unsupported } from '../errors.ts'
import { readTextIndex, type TextIndex } from '../filter/text-match.ts'
import { isRecord } from '../wire/shape.ts'

const TYPES = ['keyword', 'integer', 'float', 'geo', 'text', 'bool', 'datetime', 'uuid'] as const
export type IndexType = (typeof TYPES)[number]

/** A payload index: the schema as the client sent it, its type, and how to tokenize when it is a text index. */
export interface PayloadIndex {
  schema: unknown
  type: IndexType
  text: TextIndex | undefined
}

/** @throws EngineError 400 on an unknown type, 501 on options that the engine does not have */
export function readIndex(schema: unknown): PayloadIndex {
  const name = isRecord(schema) ? schema.type : schema
  const type = TYPES.find(type => type === name)
  if (type === undefined) {
    throw formatError(`unknown payload index type \`${String(name)}\`, expected one of ${TYPES.join(', ')}`)
  }
  if (isRecord(schema) && type === 'text' && schema.scoring) throw unsupported('text index option `scoring`')
  return { schema, type, text: readTextIndex(schema) }
}

/** Whether points can be ordered by a field with this index. */
export function hasOrder(index: PayloadIndex | undefined): boolean {
  if (index?.type === 'integer') return !(isRecord(index.schema) && index.schema.range === false)
  return index?.type === 'float' || index?.type === 'datetime'
}

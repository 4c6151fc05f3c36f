import type { JsonObject } from '../core/types.ts'
import type { ChunkContext } from './context.ts'

/** The payload fields of a context. They stand beside the text, which is never changed. */
export const CONTEXT_FIELDS = [
  'context',
  'context_quality',
  'context_model',
  'context_version',
  'context_tokens',
] as const

/** @param version of the writer, see `ContextWriter` */
export function contextFields(context: ChunkContext, version: string): JsonObject {
  return {
    context: context.text,
    context_quality: context.quality,
    context_model: context.model,
    context_version: version,
    context_tokens: context.tokens,
  }
}

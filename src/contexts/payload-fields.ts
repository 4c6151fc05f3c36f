import type { JsonObject } from '../core/types.ts'
import { type ChunkContext, NO_USAGE } from './context.ts'

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

/** The context that a payload holds, without what it cost. */
export function storedContext(payload: JsonObject): ChunkContext {
  const { context, context_quality: quality, context_model: model, context_tokens: tokens } = payload
  const known = { text: String(context), quality: Number(quality), model: String(model), tokens: Number(tokens) }
  return { ...known, usage: NO_USAGE, calls: 0, fallback: null }
}

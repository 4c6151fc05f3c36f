import type { ChunkContext } from '../../contexts/context.ts'
import { isPostponed } from '../../contexts/context-stamp.ts'
import type { ContextualizeDependencies } from '../dependencies.ts'
import type { ContextTask } from '../documents/tasks.ts'

/** The context of an earlier run or of the payload, or a new one, whose cost is noted; null when the budget does not allow it. */
export async function contextFor(
  { key, request, writer, stored }: ContextTask,
  { state, budget }: Pick<ContextualizeDependencies, 'state' | 'budget'>,
  signal: AbortSignal,
): Promise<ChunkContext | null> {
  if (stored !== null) return stored
  const found = state.contexts.find(key)
  if (found !== null && !isPostponed(found)) return found
  const release = budget === null || writer.endpoint === null ? () => {} : budget(request)
  if (release === null) return null
  try {
    const context = await writer.write(request, signal)
    state.contexts.add(key, writer, context)
    return context
  } finally {
    release()
  }
}

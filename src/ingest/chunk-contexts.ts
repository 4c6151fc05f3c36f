import { type ContextWriter, NO_USAGE, type TokenUsage } from '../contexts/context.ts'
import { isPostponed, storedVersion } from '../contexts/context-stamp.ts'
import { addUsage } from '../contexts/spending/prices.ts'
import { eachAtOnce } from '../pipeline/pacing/each-at-once.ts'
import { type PreparedPoint, withContext } from './points.ts'

/** The contexts that a run wrote. */
export interface WrittenContexts {
  /** `rules`, or the name of the model. */
  model: string
  written: number
  /** Those that the rules wrote, because the model failed or what it wrote did not pass. */
  fallbacks: number
  /** Those that the next run asks the model for, because it could not be reached. */
  postponed: number
  /** Mean of their quality, in [0,1]; 0 when none was written. */
  quality: number
  usage: TokenUsage
}

export const noContexts = ({ model }: ContextWriter): WrittenContexts => {
  return { model, written: 0, fallbacks: 0, postponed: 0, quality: 0, usage: NO_USAGE }
}

/** Writes the contexts of points, and adds them to the counts. @throws as `ContextWriter` does */
export async function withContexts(
  points: readonly PreparedPoint[],
  writer: ContextWriter,
  counts: WrittenContexts,
): Promise<PreparedPoint[]> {
  const { signal } = new AbortController()
  const done = [...points]
  await eachAtOnce(points.entries(), writer.concurrency, async ([index, point]) => {
    const context = await writer.write(point.contextRequest, signal)
    done[index] = withContext(point, context, storedVersion(context, writer.version))
    counts.quality = (counts.quality * counts.written + context.quality) / (counts.written + 1)
    counts.written += 1
    counts.fallbacks += context.fallback === null ? 0 : 1
    counts.postponed += isPostponed(context) ? 1 : 0
    counts.usage = addUsage(counts.usage, context.usage)
  })
  return done
}

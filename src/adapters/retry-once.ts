import { setTimeout as pause } from 'node:timers/promises'
import { StowageError } from '../core/errors.ts'
import { isObject } from '../qdrant/json.ts'

const PAUSE_MS = 100
const TRANSIENT_STATUS: readonly unknown[] = [500, 502, 503, 504]

/**
 * Runs a read, and once more after a short pause when its failure may pass. A server that names a time to wait (`retry-after`) is
 * not asked again, nor after an abort.
 * @param onRetry called before the second run
 * @throws the error of the second run, or of the first when there is no second
 */
export async function retryOnce<Result>(
  run: () => Promise<Result>,
  signal: AbortSignal | undefined,
  onRetry: () => void = () => {},
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!isTransient(error)) throw error
    await pause(PAUSE_MS, null, signal ? { signal } : {}).catch(() => {})
    if (signal?.aborted) throw error
    onRetry()
    return run()
  }
}

/** Whether a request was answered with a 5xx that may pass, or with nothing at all. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof StowageError)) return false
  const details: Record<string, unknown> = isObject(error.details) ? error.details : {}
  if ('status' in details) return TRANSIENT_STATUS.includes(details.status) && (details.retry_after ?? null) === null
  return error.code === 'upstream_unavailable'
}

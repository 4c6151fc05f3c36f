import { PATIENCE_MS, type ReadObserver } from '../qdrant/client.ts'
import type { Reporter } from './events.ts'
import type { Spans } from './spans.ts'

/**
 * Reports the time and the status of each read of Qdrant, repetitions after a reset included, and makes it a span. A read that is given up
 * early, because the client has left or another answer was faster, is no failure of Qdrant.
 * @param now milliseconds of a monotonic clock
 */
export function observeReads(
  { upstreamRead }: Pick<Reporter, 'upstreamRead'>,
  spans: Spans,
  now = () => performance.now(),
): ReadObserver {
  return {
    begin(read) {
      const started = now()
      const span = spans.read(read)
      return {
        headers: span.headers,
        end(status, isGivenUp) {
          span.end(status)
          const waitedMs = now() - started
          upstreamRead({ status, seconds: waitedMs / 1_000, isGivenUp: isGivenUp && waitedMs < PATIENCE_MS })
        },
      }
    },
  }
}

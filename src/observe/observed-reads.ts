import type { ReadObserver } from '../qdrant/client.ts'
import type { Reporter } from './events.ts'
import type { Spans } from './spans.ts'

/** Reports the time and the status of each read of Qdrant, repetitions after a reset included, and makes it a span. */
export function observeReads({ upstreamRead }: Pick<Reporter, 'upstreamRead'>, spans: Spans): ReadObserver {
  return {
    begin(read) {
      const started = performance.now()
      const span = spans.read(read)
      return {
        headers: span.headers,
        end(status) {
          span.end(status)
          upstreamRead({ status, seconds: (performance.now() - started) / 1_000 })
        },
      }
    },
  }
}

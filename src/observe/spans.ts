import type { IncomingMessage } from 'node:http'
import type { Trace } from '../pipeline/trace/schema.ts'
import type { FinishedRequest } from './finished-requests.ts'

/** Spans for a tracing system. No method throws, and none changes a request. */
export interface Spans {
  /** Begins the span of a request, and runs the rest of the request, so that all other spans of it become children. */
  serve(request: IncomingMessage, run: (span: RequestSpan) => void): void
  /** Begins the span of a read of Qdrant. */
  read(read: { method: string; path: string }): ReadSpan
  /** The stages of a trace, after they have ended. */
  traced(trace: Trace): void
  /** Sends what waits, for a short time, and ends. */
  close(): Promise<void>
}

interface RequestSpan {
  /** Id of the trace of the tracing system; null without one. */
  traceId: string | null
  end(finished: FinishedRequest): void
}

interface ReadSpan {
  /** Raw header pairs that tell Qdrant of the span. */
  headers: readonly string[]
  /** @param status null without an answer */
  end(status: number | null): void
}

const NO_SPAN: RequestSpan = { traceId: null, end() {} }
const NO_READ_SPAN: ReadSpan = { headers: [], end() {} }

/** No tracing system. */
export const NO_SPANS: Spans = {
  serve: (_request, run) => run(NO_SPAN),
  read: () => NO_READ_SPAN,
  traced() {},
  close: async () => {},
}

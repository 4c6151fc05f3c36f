import { LRUCache } from 'lru-cache'
import type { Reporter } from '../../observe/events.ts'
import type { TraceStore } from '../../pipeline/services.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'
import { printJson } from '../../qdrant/json.ts'

/** The latest traces, for `GET /v1/traces/{id}`. `maxBytes` limits their sizes as JSON, in UTF-16 code units. */
export function createTraceRing(limits: { entries: number; maxBytes: number }): TraceStore {
  const traces = new LRUCache<string, Trace>({
    max: limits.entries,
    maxSize: limits.maxBytes,
    sizeCalculation: trace => printJson(trace).length,
  })
  return {
    record: trace => void traces.set(trace.trace_id, trace),
    find: traceId => traces.peek(traceId) ?? null,
    close: async () => {},
  }
}

/** Turns traces into metrics: stage times, degradations, packed tokens. */
export function createTraceObserver(reporter: Reporter): TraceStore {
  return { record: trace => reporter.contextTraced({ trace }), find: () => null, close: async () => {} }
}

/** Records each trace in all stores, even if one of them fails. Finds a trace in the first store that has it. */
export function combineTraceStores(...stores: TraceStore[]): TraceStore {
  return {
    record(trace) {
      for (const store of stores) {
        try {
          store.record(trace)
        } catch {
          // A request must not fail because of its trace; a sink reports its own failures.
        }
      }
    },
    find(traceId) {
      for (const store of stores) {
        const trace = store.find(traceId)
        if (trace !== null) return trace
      }
      return null
    },
    close: async () => {
      await Promise.allSettled(stores.map(store => store.close()))
    },
  }
}

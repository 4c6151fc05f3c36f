import type { Reporter } from '../../observe/events.ts'
import type { TraceStore } from '../../pipeline/services.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'

/** The last `capacity` traces, for `GET /v1/traces/{id}`. */
export function createTraceRing(capacity: number): TraceStore {
  const traces = new Map<string, Trace>()
  return {
    record(trace) {
      if (capacity < 1) return
      traces.delete(trace.trace_id)
      traces.set(trace.trace_id, trace)
      for (const oldest of traces.keys()) {
        if (traces.size <= capacity) break
        traces.delete(oldest)
      }
    },
    find: traceId => traces.get(traceId) ?? null,
    close: async () => {},
  }
}

/** Counts what traces tell: stage times, degradations, packed tokens. Keeps nothing. */
export function createTraceObserver(reporter: Reporter): TraceStore {
  return { record: trace => reporter.contextTraced({ trace }), find: () => null, close: async () => {} }
}

/** Hands each trace to all stores; one that fails does not keep it from the others. The first that has a trace finds it. */
export function combineTraceStores(...stores: TraceStore[]): TraceStore {
  return {
    record(trace) {
      for (const store of stores) {
        try {
          store.record(trace)
        } catch {
          // A request never fails for its trace; a sink that can fail reports that itself.
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

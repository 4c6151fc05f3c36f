import type { Reporter } from '../../observe/events.ts'
import { hashedQuery } from '../../observe/query-text.ts'
import { NO_SPANS, type Spans } from '../../observe/spans.ts'
import type { TraceStore } from '../../pipeline/services.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'

/** Turns traces of answers into metrics, into what the log tells of them, and into spans. Shadow runs have metrics of their own. */
export function createTraceObserver(reporter: Reporter, spans: Spans = NO_SPANS): TraceStore {
  const record = (trace: Trace) => {
    if (trace.shadow_of !== null) return
    reporter.contextTraced({ trace })
    spans.traced(trace)
  }
  return { record, find: () => null, list: () => [], close: async () => {} }
}

/** Records each trace in all stores, even if one of them fails. Finds a trace in the first store that has it. */
export function combineTraceStores(...stores: TraceStore[]): TraceStore {
  return {
    record(trace, owner) {
      for (const store of stores) {
        try {
          store.record(trace, owner)
        } catch {
          // A request must not fail because of its trace; a sink reports its own failures.
        }
      }
    },
    find(traceId, owner) {
      for (const store of stores) {
        const trace = store.find(traceId, owner)
        if (trace !== null) return trace
      }
      return null
    },
    list: owner => stores.flatMap(store => store.list(owner)),
    close: async () => {
      await Promise.allSettled(stores.map(store => store.close()))
    },
  }
}

/** A store that gets a digest in place of each query text, and no words of it: those that were corrected, or that name documents. */
export function withHashedQueries(store: TraceStore): TraceStore {
  return {
    ...store,
    record: ({ corrections: _corrected, named_documents: _named, query, ...trace }, owner) =>
      store.record({ ...trace, query: query === null ? null : hashedQuery(query) }, owner),
  }
}

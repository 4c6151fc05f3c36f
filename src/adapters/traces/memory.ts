import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Reporter } from '../../observe/events.ts'
import { NO_SPANS, type Spans } from '../../observe/spans.ts'
import type { TraceOwner, TraceStore } from '../../pipeline/services.ts'
import type { Trace } from '../../pipeline/trace/schema.ts'
import { summaryOf, type TraceSummary } from '../../pipeline/trace/summary.ts'
import { parseJson, printJson } from '../../qdrant/json.ts'
import { sha256 } from '../../text/fingerprint.ts'

/** The fastest: a trace of 45 kB takes 0.3 ms and a fifth of the memory. */
const DEFLATE = { level: 1 }

/**
 * The latest traces, for `GET /v1/traces/{id}`. They are kept as compressed JSON, so that the limit holds and nothing else of a
 * request stays in memory with its trace. `maxBytes` limits their compressed sizes.
 */
export function createTraceRing(limits: { entries: number; maxBytes: number }): TraceStore {
  const traces = new LRUCache<string, KeptTrace>({
    max: limits.entries,
    maxSize: limits.maxBytes,
    sizeCalculation: ({ json }) => json.length,
  })
  return {
    record: (trace, owner) => {
      const name = nameOf(owner)
      const json = deflateRawSync(printJson(trace), DEFLATE)
      traces.set(`${name}/${trace.trace_id}`, { owner: name, json, summary: summaryOf(trace) })
    },
    find: (traceId, owner) => {
      const kept = traces.peek(`${nameOf(owner)}/${traceId}`)
      return kept === undefined ? null : (parseJson(inflateRawSync(kept.json).toString()) as Trace)
    },
    // The cache is in the order of recording: `peek` changes none of it.
    list: owner => {
      const name = nameOf(owner)
      return [...traces.values()].flatMap(kept => (kept.owner === name ? kept.summary : []))
    },
    close: async () => {},
  }
}

interface KeptTrace {
  /** See `nameOf`. */
  owner: string
  /** Compressed. */
  json: Buffer
  /** For lists, which would otherwise parse all traces. It is small, and `entries` limits their number. */
  summary: TraceSummary
}

/** The same id of another owner is another trace. A digest, so that the ring holds no key of a client. */
function nameOf({ tenant, apiKey }: TraceOwner): string {
  return sha256(JSON.stringify(tenant === null ? { apiKey } : { tenant: tenant.name }))
}

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

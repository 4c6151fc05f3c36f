import { hashedQuery } from '../../observe/query-text.ts'
import type { TraceStore } from '../../pipeline/services.ts'

/** A store that gets a digest in place of each query text. */
export function withHashedQueries(store: TraceStore): TraceStore {
  return {
    ...store,
    record: (trace, owner) =>
      store.record({ ...trace, query: trace.query === null ? null : hashedQuery(trace.query) }, owner),
  }
}

import type { FindTrace, ListTraces, TraceReader } from '../services.ts'
import type { Trace } from './schema.ts'

/** Finds traces, but none of a collection that its tenant does not reach any more: the tenants can change while traces are kept. */
export function findReached(find: FindTrace): FindTrace {
  return async (traceId, reader) => {
    const trace = await find(traceId, reader)
    return trace !== null && isReached(trace, reader) ? trace : null
  }
}

/** Lists traces, but none of a collection that their tenant does not reach any more. */
export function listReached(list: ListTraces): ListTraces {
  return async reader => (await list(reader)).filter(trace => isReached(trace, reader))
}

function isReached({ collections }: Pick<Trace, 'collections'>, { tenant }: TraceReader): boolean {
  return tenant === null || collections.every(collection => tenant.reaches(collection))
}

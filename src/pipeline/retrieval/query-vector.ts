import { messageOf, StowageError } from '../../core/errors.ts'
import type { Embedder, PendingVector } from '../../core/ports.ts'
import type { TimedCaller } from '../caller.ts'
import { EMBEDDING_SHARE, WORKER_WAIT_SHARE } from '../deadline.ts'
import type { RunRecord } from '../run-record.ts'
import type { PipelinePorts } from '../services.ts'

/** The vector of a query, at hand or on its way. */
export interface QueryVector {
  /** Null without an embedder. */
  vector: number[] | PendingVector | null
  /** Why the query could not be embedded, for an answer that needs the vector; null while nothing failed. */
  failure(): StowageError | null
}

/** Takes the vector of the request, or starts to embed the query. A missing or late vector is a degradation. */
export function queryVector(
  { query, vector }: { query: string; vector: number[] | null },
  { embedder, unavailable }: PipelinePorts,
  caller: Pick<TimedCaller, 'tenant' | 'deadline'>,
  record: RunRecord,
): QueryVector {
  if (vector) return { vector, failure: () => null }
  if (!embedder) {
    const reason = unavailable.embedder
    if (reason !== null) record.degrade('embedder_unavailable', reason)
    const failure = reason === null ? null : new StowageError('upstream_unavailable', reason)
    return { vector: null, failure: () => failure }
  }
  let failure: StowageError | null = null
  const embedded = embedInTime(query, embedder, caller).catch((error: unknown) => {
    const detail = messageOf(error)
    failure = error instanceof StowageError ? error : new StowageError('upstream_error', detail, { cause: error })
    record.degrade('embedder_failed', detail)
    return null
  })
  const { dimensions, version: embedderVersion } = embedder
  return { vector: { dimensions, embedderVersion, vector: embedded }, failure: () => failure }
}

/** @throws StowageError `upstream_timeout` after the embedder's share of the deadline, even if the embedder ignores its signal */
async function embedInTime(
  query: string,
  embedder: Embedder,
  { tenant, deadline: whole }: Pick<TimedCaller, 'tenant' | 'deadline'>,
): Promise<Float32Array> {
  const deadline = whole.part(EMBEDDING_SHARE)
  const { signal } = deadline
  if ((embedder.expectedWaitMs?.(tenant) ?? 0) > deadline.remainingMs() * WORKER_WAIT_SHARE) {
    deadline.dispose()
    throw new StowageError('overloaded', 'The queue of the embedder is too long to be in time.')
  }
  const tooLate = new Promise<never>((_, reject) => {
    const giveUp = () =>
      reject(new StowageError('upstream_timeout', 'The query was not embedded in its share of the deadline.'))
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
  try {
    return await Promise.race([tooLate, embedder.embedQuery(query, signal, tenant)])
  } finally {
    deadline.dispose()
  }
}

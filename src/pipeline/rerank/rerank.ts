import { messageOf } from '../../core/errors.ts'
import type { Reranker } from '../../core/ports.ts'
import type { Candidate } from '../../core/types.ts'
import { blend } from '../../rank/blend.ts'
import { startDeadline, WORKER_WAIT_SHARE } from '../deadline.ts'
import type { Background } from '../pacing/background.ts'
import { reranks } from '../plan/derived.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord } from '../run-record.ts'
import { passageOf } from './passage.ts'

export interface RerankInput {
  /** Null without query text. */
  query: string | null
  plan: Plan
  reranker: Reranker | null
  /** Whose request it is. Tenants take turns in what they share: the event loop and the workers. */
  tenant: string | null
  signal: AbortSignal
  /** Given for a run that nobody waits for. */
  background?: Background
}

/**
 * Scores the first `depth` candidates with the reranker until the deadline and blends the relevance into their values. Other
 * candidates keep their value. When the reranker is missing, fails, or has more of this tenant's work than fits, all of them do.
 */
export async function rerank(
  candidates: Candidate[],
  { query, plan, reranker, tenant, signal, background }: RerankInput,
  record: RunRecord,
): Promise<Candidate[]> {
  if (!reranks(plan) || !reranker || query === null || candidates.length === 0) return candidates
  const { blend: weight, deadlineMs } = plan.rerank
  const deadline = startDeadline(signal, deadlineMs, background?.after, background?.now)
  try {
    const waitMs = reranker.expectedWaitMs?.(tenant) ?? 0
    if (waitMs > deadline.remainingMs() * WORKER_WAIT_SHARE) {
      record.degrade('rerank_skipped', 'the reranker is busy with earlier work')
      return candidates
    }
    const wanted = candidates.slice(0, plan.rerank.depth)
    const passages = wanted.slice(0, depthAt(waitMs, plan.rerank)).map(passageOf)
    if (passages.length < wanted.length) record.degrade('rerank_shallow', `${passages.length}/${wanted.length}`)
    const { scores } = await reranker.rerank({ query, passages, signal: deadline.signal, tenant })
    const scored = scores.filter(score => score !== null).length
    if (scored < passages.length) record.degrade('rerank_partial', `partial ${scored}/${passages.length}`)
    return blend(candidates, scores, weight)
  } catch (error) {
    record.degrade('reranker_failed', messageOf(error))
    return candidates
  } finally {
    deadline.dispose()
  }
}

/** Share of the deadline of which a wait asks for the least depth. Waits are short long before requests lose their reranking. */
const LEAST_DEPTH_WAIT_SHARE = 0.04

/** Number of candidates to score: the whole depth when nobody waits, and the fewer, the longer the wait, down to the least depth. */
function depthAt(waitMs: number, { depth, leastDepth, deadlineMs }: Plan['rerank']): number {
  const share = Math.min(1, waitMs / (deadlineMs * LEAST_DEPTH_WAIT_SHARE))
  return Math.round(depth - share * Math.max(0, depth - (leastDepth ?? depth)))
}

import { messageOf } from '../../core/errors.ts'
import type { Candidate } from '../../core/types.ts'
import { blend } from '../../rank/blend.ts'
import { startDeadline, WORKER_WAIT_SHARE } from '../deadline.ts'
import { reranks } from '../plan/derived.ts'
import type { Plan } from '../plan/plan.ts'
import type { RankAndPackInput } from '../rank-and-pack.ts'
import type { RunRecord } from '../run-record.ts'
import { passageOf } from './passage.ts'

/**
 * Scores the first `depth` candidates with the reranker until the deadline and blends the relevance into their values. Other
 * candidates keep their value. When the reranker is missing, fails, or has more of this tenant's work than fits, all of them do.
 */
export async function rerank(
  candidates: Candidate[],
  query: string | null,
  plan: Plan,
  { reranker, tenant, background }: Pick<RankAndPackInput, 'reranker' | 'tenant' | 'background'>,
  signal: AbortSignal,
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
    const passages = wanted.slice(0, depthAt(waitMs, plan.rerank)).map(({ chunk }) => passageOf(chunk))
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

import type { Reranker } from '../../core/ports.ts'
import { reranks } from '../plan/derived.ts'
import type { Plan } from '../plan/plan.ts'
import type { RunRecord } from '../run-record.ts'
import type { PipelinePorts } from '../services.ts'

/** The reranker for a question; null when the plan has none, or none is loaded, or it does not read the script of the question. The last two are degradations. */
export function rerankerFor(
  query: string,
  plan: Plan,
  { reranker, unavailable }: Pick<PipelinePorts, 'reranker' | 'unavailable'>,
  record: RunRecord,
): Reranker | null {
  if (!reranks(plan)) return null
  if (unavailable.reranker !== null) record.degrade('reranker_unavailable', unavailable.reranker)
  if (reranker?.reads?.(query) === false) {
    record.degrade('rerank_script_unread', reranker.model)
    return null
  }
  return reranker
}

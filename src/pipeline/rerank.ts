import type { Reranker } from '../core/ports.ts'
import type { Candidate } from '../core/types.ts'
import { blend, scaleToOne } from '../rank/blend.ts'
import { startDeadline } from './deadline.ts'
import type { Plan } from './plan/plan.ts'
import type { TraceRecorder } from './trace/recorder.ts'

/**
 * Scores the first `depth` candidates with the reranker until the deadline and blends the relevance into their values. What is not
 * scored keeps its fused value; a reranker that is missing or fails costs quality, never the request.
 */
export async function rerank(
  candidates: Candidate[],
  query: string | null,
  options: Plan['rerank'],
  reranker: Reranker | null,
  signal: AbortSignal,
  trace: TraceRecorder,
): Promise<Candidate[]> {
  const wanted = (options.method === 'crossencoder' || options.method === 'http') && options.blend > 0
  if (!wanted || !reranker || query === null || candidates.length === 0) return scaleToOne(candidates)
  const deadline = startDeadline(signal, options.deadlineMs)
  try {
    const passages = candidates.slice(0, options.depth).map(passageOf)
    const { scores } = await reranker.rerank({ query, passages, signal: deadline.signal })
    const scored = scores.filter(score => score !== null).length
    if (scored < passages.length) trace.degrade('rerank_partial', `partial ${scored}/${passages.length}`)
    return blend(candidates, scores, options.blend)
  } catch (error) {
    trace.degrade('reranker_failed', error instanceof Error ? error.message : String(error))
    return scaleToOne(candidates)
  } finally {
    deadline.dispose()
  }
}

/** The passage as the cross-encoder reads it: where it stands, then what it says. */
function passageOf({ chunk }: Candidate): string {
  const source = chunk.sectionPath || chunk.docTitle
  return source ? `${source}\n${chunk.text}` : chunk.text
}

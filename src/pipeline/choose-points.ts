import type { RetrievedList } from '../core/types.ts'
import { detectIntent } from '../intent/detect.ts'
import type { PackedChunk } from '../pack/pack.ts'
import type { PackContextDependencies } from './pack-context.ts'
import { overridePlan } from './plan/override-plan.ts'
import { rankAndPack } from './rank-and-pack.ts'
import { needsReranker } from './run-context.ts'
import type { ChoosePoints } from './services.ts'
import { TraceRecorder } from './trace/recorder.ts'

/**
 * Builds the drop-in route's half of the pipeline: the client's own lists in, at most `limit` points out, best first.
 * Points are chosen and ordered whole: no payload is altered, so nothing is cut to sentences here.
 */
export function createChoosePoints(
  dependencies: Omit<PackContextDependencies, 'alwaysTrace' | 'deadlineMs'>,
): ChoosePoints {
  const { ports } = dependencies
  return async (request, caller) => {
    const plan = overridePlan(dependencies.plan, {
      maxChunks: request.limit,
      order: 'relevance',
      packing: { mode: 'passage', cut: false, ...(request.query === null ? { noveltyAlpha: 0 } : {}) },
    })
    const trace = new TraceRecorder(
      {
        traceId: dependencies.newId(),
        startedAt: dependencies.wallClock().toISOString(),
        door: 'points',
        tenant: caller.tenant,
        sessionId: null,
        arm: plan.name,
        collections: collectionsOf(request.lists),
        query: request.query,
        plan,
      },
      dependencies.now,
    )
    const tokenizer = ports.tokenizer(plan.tokenizerModel)
    if (request.query === null)
      trace.degrade('no_query_text', 'no query text in header, body or filter: no reranker and no intent')
    const intent = request.query === null ? null : detectIntent(request.query)
    trace.found(intent)
    if (request.query !== null && needsReranker(plan) && ports.absent.reranker !== null)
      trace.degrade('reranker_unavailable', ports.absent.reranker)
    const packed = await rankAndPack(
      {
        query: request.query,
        intent: intent?.label ?? null,
        lists: request.lists,
        plan,
        reranker: ports.reranker,
        fetchNeighbours: request.fetchNeighbours,
        count: text => tokenizer.count(text),
        signal: caller.signal,
        needsText: false,
      },
      trace,
    )
    const finished = trace.finish({
      packed: packed.packed,
      dropped: packed.dropped,
      tokensUsed: packed.tokens,
      encoding: tokenizer.encoding,
    })
    dependencies.traces.record(finished)
    return {
      chosen: bestFirst(packed.packed).map(({ candidate }) => candidate),
      applied: appliedSteps(finished.stages.map(({ name }) => name)),
      degraded: trace.degraded,
      trace: finished,
    }
  }
}

/** A client of points reads a ranking, not a document: value first, whatever block a chunk stood in. */
function bestFirst(packed: readonly PackedChunk[]): PackedChunk[] {
  return [...packed].sort((a, b) => b.candidate.value - a.candidate.value)
}

function collectionsOf(lists: readonly RetrievedList[]): string[] {
  return [...new Set(lists.flatMap(({ hits }) => hits.map(({ chunk }) => chunk.collection)))]
}

function appliedSteps(stages: readonly string[]): string[] {
  return stages.filter(name => name !== 'collect')
}

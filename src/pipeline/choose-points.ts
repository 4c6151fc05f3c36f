import { prefixOf } from '../core/prefix.ts'
import type { RetrievedList } from '../core/types.ts'
import { detectIntent } from '../intent/detect.ts'
import { LONGEST_QUERY } from './context-request.ts'
import type { PackContextDependencies } from './pack-context.ts'
import { reranks } from './plan/derived.ts'
import { overridePlan } from './plan/override-plan.ts'
import { rankAndPack } from './rank-and-pack.ts'
import { RunRecord } from './run-record.ts'
import type { ChoosePoints } from './services.ts'
import { buildTrace } from './trace/build-trace.ts'

/**
 * Builds the pipeline of the drop-in route: it chooses at most `limit` points from the client's own lists and orders them best
 * first. Payloads do not change, so no text is cut. It rejects with a `TimeoutError` when the signal aborts before all candidates
 * were tried.
 */
export function createChoosePoints(
  dependencies: Omit<PackContextDependencies, 'alwaysTrace' | 'deadlineMs' | 'decide'>,
): ChoosePoints {
  const { ports } = dependencies
  return async ({ query: text, lists, limit, fetchNeighbours, decision }, caller) => {
    // The same limit as in `/v1/context`: a search may bring a query text of any length.
    const query = text === null ? null : prefixOf(text, LONGEST_QUERY)
    const plan = overridePlan(decision.plan, {
      maxChunks: limit,
      order: 'relevance',
      packing: { mode: 'passage', sentenceCut: false, noveltyAlpha: query === null ? 0 : undefined },
    })
    const record = new RunRecord(dependencies.now)
    const subject = {
      traceId: dependencies.newId(),
      startedAt: dependencies.wallClock().toISOString(),
      endpoint: 'points' as const,
      tenant: caller.tenant?.name ?? null,
      sessionId: null,
      collections: collectionsOf(lists),
      query,
      plan,
      decision,
    }
    const tokenizer = ports.tokenizer(plan.tokenizerModel)
    const intent = query === null ? null : detectIntent(query)
    if (query === null)
      record.degrade('no_query_text', 'no query text in header, body or filter: no reranker and no intent')
    else if (reranks(plan) && ports.unavailable.reranker !== null)
      record.degrade('reranker_unavailable', ports.unavailable.reranker)
    const packed = await rankAndPack(
      {
        query,
        intent: intent?.label ?? null,
        lists,
        plan,
        reranker: ports.reranker,
        fetchNeighbours,
        count: tokenizer.countInSteps,
        tenant: caller.tenant?.name ?? null,
        signal: caller.signal,
        needsText: false,
      },
      record,
    )
    dependencies.traces.record(
      buildTrace(subject, record, { intent, packed, encoding: tokenizer.encoding, cache: 'off' }),
      caller,
    )
    // The client asked for points, and fewer of them are worse than its own answer.
    if (packed.isLate) throw new DOMException('the deadline passed while points were chosen', 'TimeoutError')
    const chosen = packed.packed.map(({ candidate }) => candidate)
    return {
      // Blocks of a context keep sections together. A list of points is a ranking by value.
      chosen: chosen.sort((a, b) => b.value - a.value),
      duplicates: new Set(
        packed.dropped
          .filter(({ reason }) => reason === 'duplicate')
          .map(({ candidate }) => String(candidate.chunk.id)),
      ),
      applied: record.applied,
      degraded: record.degraded,
      traceId: subject.traceId,
    }
  }
}

function collectionsOf(lists: readonly RetrievedList[]): string[] {
  return [...new Set(lists.flatMap(({ hits }) => hits.map(({ chunk }) => chunk.collection)))]
}

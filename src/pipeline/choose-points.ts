import { prefixOf } from '../core/prefix.ts'
import type { Chunk, RetrievedList } from '../core/types.ts'
import type { PassthroughReason } from '../core/vocabulary.ts'
import { detectIntent } from '../intent/detect.ts'
import type { Packed, PackedChunk } from '../pack/pack.ts'
import { countByCharacters } from '../text/characters.ts'
import { correctedQuestion } from '../text/terms/spelling.ts'
import type { Caller } from './caller.ts'
import { LONGEST_QUERY } from './context-request.ts'
import type { Background } from './pacing/background.ts'
import type { PackContextDependencies } from './pack-context.ts'
import { reranks } from './plan/derived.ts'
import { overridePlan } from './plan/override-plan.ts'
import type { Plan } from './plan/plan.ts'
import { rankAndPack } from './rank-and-pack.ts'
import { correctionsBy } from './retrieval/corrected.ts'
import { RunRecord } from './run-record.ts'
import type { ChoosePoints, ChoosePointsRequest, PipelinePorts, PrepareQuestion } from './services.ts'
import { buildTrace, type TraceSubject } from './trace/build-trace.ts'
import type { Trace } from './trace/schema.ts'
import { shadowSubject } from './trace/shadow-subject.ts'

/**
 * Builds the pipeline of the drop-in route: it chooses at most `limit` points from the client's own lists and orders them best
 * first. Payloads do not change, so no text is cut. It rejects with a `TimeoutError` when the signal aborts before all candidates
 * were tried. A shadow ranks the same lists again, with the neighbours that were fetched for the answer.
 */
export function createChoosePoints(dependencies: ChoosePointsDependencies): ChoosePoints {
  return async (request, caller) => {
    const { collection, lists } = request
    const record = new RunRecord(dependencies.now)
    for (const { code, detail } of request.degraded ?? []) record.degrade(code, detail)
    record.namedDocuments = (request.namedDocuments ?? []).map(document => ({ collection, doc_id: document }))
    const subject = subjectOf(request, caller, dependencies)
    const { fetchNeighbours, fetchAgain } = rememberFetched(request.fetchNeighbours)
    const run = { subject, lists, fetchNeighbours, signal: caller.signal }
    const { packed, trace } = await choose(run, record, dependencies)
    const end = (passthrough: PassthroughReason | null) => {
      dependencies.traces.record(passthrough === null ? trace : { ...trace, passthrough }, caller)
      const again = { ...run, fetchNeighbours: fetchAgain }
      if (passthrough === null) offerShadowOf(again, { request, control: trace, owner: caller }, dependencies)
    }
    if (request.ending === undefined) end(packed.isLate ? 'deadline' : null)
    else void request.ending.then(end)
    // The client asked for points, and fewer of them are worse than its own answer.
    if (packed.isLate) throw new DOMException('the deadline passed while points were chosen', 'TimeoutError')
    const copies = packed.dropped.filter(({ reason }) => reason === 'duplicate')
    return {
      chosen: packed.packed.map(({ candidate }) => candidate),
      duplicates: new Set(copies.map(({ candidate }) => String(candidate.chunk.id))),
      applied: record.applied,
      degraded: record.degraded,
      traceId: subject.traceId,
      recallProxy: trace.recall_proxy,
      tokens: packed.tokens,
    }
  }
}

type ChoosePointsDependencies = Omit<PackContextDependencies, 'alwaysTrace' | 'deadlineMs' | 'decide'>

function subjectOf(
  request: ChoosePointsRequest,
  { tenant }: Caller,
  { newId, wallClock }: ChoosePointsDependencies,
): TraceSubject {
  const { collection, decision, sessionId, batchId = null, querySource = 'header' } = request
  // The same limit as in `/v1/context`: a search may bring a query text of any length.
  const query = request.query === null ? null : prefixOf(request.query, LONGEST_QUERY)
  return {
    traceId: newId(),
    startedAt: wallClock().toISOString(),
    endpoint: 'points',
    tenant: tenant?.name ?? null,
    sessionId,
    batchId,
    collections: [collection],
    query,
    querySource: query === null ? 'none' : querySource,
    plan: planForPoints(decision.plan, request),
    decision,
  }
}

type FetchNeighbours = ChoosePointsRequest['fetchNeighbours']

/** A fetch of neighbours, and one that finds what the first has fetched and asks Qdrant for nothing. */
function rememberFetched(fetch: FetchNeighbours): { fetchNeighbours: FetchNeighbours; fetchAgain: FetchNeighbours } {
  if (fetch === null) return { fetchNeighbours: null, fetchAgain: null }
  const fetched: Chunk[] = []
  return {
    fetchNeighbours: async places => {
      const neighbours = await fetch(places)
      fetched.push(...neighbours)
      return neighbours
    },
    fetchAgain: async places =>
      fetched.filter(chunk => places.some(at => at.docId === chunk.docId && at.orderIndex === chunk.orderIndex)),
  }
}

/** Offers the run of the plan that shadows this request, if there is one. */
function offerShadowOf(
  { subject, ...run }: PointsRun,
  { request, control, owner }: { request: ChoosePointsRequest; control: Trace; owner: Caller },
  dependencies: ChoosePointsDependencies,
): void {
  const { shadow } = request.decision
  if (shadow === null) return
  const plan = planForPoints(shadow.plan, request)
  dependencies.offerShadow?.({
    control,
    owner,
    run: async background => {
      const again = shadowSubject(subject, shadow, plan, dependencies.wallClock().toISOString())
      const shadowed = { ...run, subject: again, signal: background.signal, background }
      return (await choose(shadowed, new RunRecord(background.now), dependencies)).trace
    },
  })
}

/** Lets the reranker read the question of the drop-in route while its points are searched. */
export function createPrepareQuestion({ ports }: Pick<PackContextDependencies, 'ports'>): PrepareQuestion {
  return (question, { plan }, { tenant }) => {
    if (reranks(plan)) ports.reranker?.prepare?.(prefixOf(question, LONGEST_QUERY), tenant?.name ?? null)
  }
}

/** The most that a plan can have. Points beyond 40 MB of text go behind the others, and none is lost. */
const NO_BUDGET = 10_000_000

/** A list of points has at most `limit` of them, whole ones, and no token budget: the best point belongs to it, however long it is. */
function planForPoints(plan: Plan, { query, limit }: ChoosePointsRequest): Plan {
  return overridePlan(plan, {
    maxChunks: limit,
    budgetTokens: NO_BUDGET,
    order: 'relevance',
    retrieval: { tokensPerCandidate: null },
    packing: {
      counting: 'characters',
      fill: 'all',
      minRelevance: 0,
      mode: 'passage',
      sentenceCut: false,
      noveltyAlpha: query === null ? 0 : undefined,
      repetition: 'off',
      parentExpansion: null,
      contextLine: false,
    },
  })
}

interface PointsRun {
  subject: TraceSubject
  lists: RetrievedList[]
  fetchNeighbours: FetchNeighbours
  signal: AbortSignal
  background?: Background
}

async function choose(
  { subject, ...run }: PointsRun,
  record: RunRecord,
  { ports }: Pick<PackContextDependencies, 'ports'>,
): Promise<{ packed: Packed; trace: Trace }> {
  const { query: asked, plan, tenant } = subject
  if (asked === null)
    record.degrade('no_query_text', 'no query text in header, body, relay or filter: no reranker and no intent')
  else if (reranks(plan) && ports.unavailable.reranker !== null)
    record.degrade('reranker_unavailable', ports.unavailable.reranker)
  const query = asked === null ? null : await ranksBy(asked, { ...run, plan, tenant }, record, ports)
  const intent = query === null ? null : detectIntent(query)
  const reranker = ports.reranker && (run.background?.rerankerOf(ports.reranker) ?? ports.reranker)
  const input = { query, intent: intent?.label ?? null, plan, reranker, tenant, count: countByCharacters, ...run }
  const chosen = await rankAndPack({ ...input, fetchParents: null }, record)
  const packed = { ...chosen, packed: inOrderOfFilling(chosen) }
  const outcome = { intent, packed, encoding: 'characters', cache: 'off' as const }
  return { packed, trace: buildTrace(subject, record, outcome) }
}

/** The question that ranks the points: as it was asked, or with its spelling corrected. What was searched is the client's own. */
async function ranksBy(
  query: string,
  found: Pick<PointsRun, 'lists' | 'signal' | 'background'> & { plan: Plan; tenant: string | null },
  record: RunRecord,
  ports: PipelinePorts,
): Promise<string> {
  record.corrections = await correctionsBy({ ...found, query }, ports, record)
  return correctedQuestion(query, record.corrections)
}

/** Blocks of a context keep sections together. A list of points has the order of filling, so that a longer list begins with a shorter one. */
function inOrderOfFilling({ packed, filled }: Packed): PackedChunk[] {
  const chosen = new Map(packed.map(one => [one.candidate.key, one]))
  return filled.flatMap(key => chosen.get(key) ?? [])
}

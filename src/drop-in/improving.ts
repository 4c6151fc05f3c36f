import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { eitherSignal } from '../core/either-signal.ts'
import { messageOf } from '../core/errors.ts'
import type { StoreCall } from '../core/ports.ts'
import type { Caller } from '../pipeline/caller.ts'
import { startDeadline } from '../pipeline/deadline.ts'
import { Pace } from '../pipeline/pacing/pace.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { ChoosePoints, ChoosePointsRequest, PrepareQuestion } from '../pipeline/services.ts'
import type { QdrantHttp } from '../qdrant/client.ts'
import type { DocumentFilter } from '../qdrant/documents-filter.ts'
import { retryAfterOf, statusOf } from '../qdrant/errors.ts'
import type { SearchTarget } from '../qdrant/paths.ts'
import type { PayloadMappings } from '../qdrant/payload/mappings.ts'
import { readChunk } from '../qdrant/payload/read-chunk.ts'
import { headerValue } from '../qdrant/raw-headers.ts'
import { isRefusal, type Refusals } from '../qdrant/refusals.ts'
import type { WorkMeter } from './admission.ts'
import { improvePoints } from './answer.ts'
import type { Clock } from './clock.ts'
import { leastDepth } from './depth.ts'
import { searchDeep } from './fetching/deep-search.ts'
import { type FoundLists, NOTHING_NAMED, searchNamed } from './fetching/named-documents.ts'
import { type FetchPoints, fetchPoints, type UpstreamCall } from './fetching/upstream-search.ts'
import { NotImproved } from './not-improved.ts'
import { type FindQuestion, findQueryText } from './query/query-text.ts'
import type { UnderstoodQuery } from './query/understand.ts'
import type { ReadLimit } from './read-limit.ts'
import { improvingTimeMs } from './request.ts'
import type { ImprovedAnswer } from './response.ts'

export interface ImprovingDependencies {
  http: QdrantHttp
  choosePoints: ChoosePoints
  /** Called with each question before Qdrant has answered. Absent: nothing is read ahead. */
  prepareQuestion?: PrepareQuestion
  /** Longest time for improving, in milliseconds. */
  deadlineMs: number
  /** Longest time in which Qdrant must have answered one improved call, in milliseconds. */
  hedgeMs: number
  clock: Clock
  /** Measures the work of choosing points. */
  work: WorkMeter
  /** Payload fields of collections that stowage has not written. */
  mappings?: PayloadMappings
  /** How points of a collection are filtered by document; null where there is no quick way. Absent: documents that a question names are not searched. */
  documentFilter?: (collection: string, call: StoreCall) => Promise<DocumentFilter | null>
  /** Where Qdrant has refused what improves a search. */
  refusals: { depth: Refusals; documents: Refusals }
  /** A limit on the reads of the collection. */
  readLimit: ReadLimit
  /** Asks the embedding relay for the question of a vector that a caller searches with. Absent: there is no relay. */
  findQuestion?: (caller: Caller, vector: Parameters<FindQuestion>[0]) => ReturnType<FindQuestion>
}

/** An attempt to improve one request. */
export interface Improving {
  /** Rejects with `NotImproved`, or with an unexpected error of the pipeline. */
  answer: Promise<ImprovedAnswer>
  /**
   * Resolves when the client's own request should wait no longer: Qdrant has not answered the improved search within the hedge time, or the
   * deadline has passed. Calls to Qdrant end at the deadline; a ranking that is nearly finished may still win.
   */
  overdue: Promise<'hedged' | 'deadline'>
  /** Resolves at the deadline: from then on any answer of Qdrant is better than waiting. */
  lapsed: Promise<'deadline'>
  /** Ends all calls to Qdrant and to models. */
  stop(): void
}

/** Share of the time after which choosing points is asked to end. A reranker that stops early still gives a useful order. */
const CHOOSING_SHARE = 0.8

export function startImproving(
  request: IncomingMessage,
  target: SearchTarget,
  queries: readonly UnderstoodQuery[],
  caller: Caller,
  { decision, sessionId, ending }: Pick<ChoosePointsRequest, 'decision' | 'sessionId' | 'ending'>,
  dependencies: ImprovingDependencies,
): Improving {
  const { http, choosePoints, prepareQuestion, findQuestion, documentFilter, refusals, mappings = {} } = dependencies
  const { deadlineMs, hedgeMs, clock, work, readLimit } = dependencies
  const timeMs = improvingTimeMs(target.queryString, deadlineMs)
  const stopped = new AbortController()
  const { signal: wanted, dispose } = eitherSignal(caller.signal, stopped.signal)
  const deadline = startDeadline(wanted, timeMs, clock.after)
  const choosing = startDeadline(deadline.signal, timeMs * CHOOSING_SHARE, clock.after)
  const mapping = mappings[target.collection]
  const readsMore = readsBesideSearch(decision.plan)
  const call: UpstreamCall = {
    http: noticingLimit(http, readLimit),
    target,
    headers: request.rawHeaders,
    chunkOf: point => readChunk(point, target.collection, mapping),
    pace: new Pace(deadline.signal, { tenant: caller.tenant?.name ?? null }),
    signal: deadline.signal,
  }

  const hedge = startHedge(hedgeMs, timeMs, clock)
  const lapsed = new Promise<'deadline'>(resolve => {
    deadline.signal.addEventListener('abort', () => !wanted.aborted && resolve('deadline'), { once: true })
  })
  /** Neighbours are worth the wait of one quick call only: without them the ranking is ready. */
  const fetchNeighbours: FetchPoints = async (query, condition, limit) => {
    if (hedge.isDue()) throw new Error('Qdrant is slow')
    if (readLimit.isKnown) throw new Error('Qdrant limits reads')
    const soon = startDeadline(choosing.signal, hedgeMs, clock.after)
    const fetched = fetchPoints(query, condition, limit, { ...call, signal: soon.signal })
    return work.pause(fetched).finally(soon.dispose)
  }

  /** Qdrant is slow when it does not say within one quick call whether there is a limit; then it is not known. */
  const learnLimit = async () => {
    const soon = startDeadline(choosing.signal, hedgeMs, clock.after)
    const late = whenAborted(soon.signal).catch(() => {})
    await work.pause(Promise.race([readLimit.learn(caller.apiKey), late])).finally(soon.dispose)
  }

  /** Without what the questions name, the searches are as good as they were. */
  const findNamed = async (searches: FoundLists[]) => {
    const { namedDocuments: most, pool: hits } = decision.plan.retrieval
    const { collection } = target
    const nothing = { points: searches.map(() => NOTHING_NAMED), degraded: [] }
    if (readLimit.isKnown && readsMore && searches.some(({ text }) => text !== null))
      return {
        ...nothing,
        degraded: [{ code: 'reads_limited' as const, detail: 'a limit of Qdrant, or a 429 in the last ten minutes' }],
      }
    if (most === null || hedge.isDue() || refusals.documents.has(collection)) return nothing
    const soon = startDeadline(choosing.signal, hedgeMs, clock.after)
    const { signal } = soon
    const { apiKey, tenant } = caller
    const findFilter = async () =>
      documentFilter?.(collection, { apiKey, condition: tenant?.condition ?? null, signal }) ?? null
    try {
      const points = await work.pause(searchNamed(searches, { most, hits }, findFilter, { ...call, signal }))
      return { points, degraded: [] }
    } catch (error) {
      readLimit.notice(statusOf(error), retryAfterOf(error))
      if (isRefusal(statusIn(error))) refusals.documents.add(collection)
      return { ...nothing, degraded: [{ code: 'named_documents_not_searched' as const, detail: messageOf(error) }] }
    } finally {
      soon.dispose()
    }
  }

  const header = request.headers['x-stowage-query']?.toString()
  const asksRelay = findQuestion !== undefined && decision.findsQuestion
  const findWords = async (query: UnderstoodQuery) => {
    const ask = asksRelay ? (vector: readonly number[]) => findQuestion(caller, vector) : null
    const words = await findQueryText(header, query, ask, caller.tenant?.condition ?? null)
    if (words.text !== null) prepareQuestion?.(words.text, decision, caller)
    return { query, words }
  }

  const improve = async (): Promise<ImprovedAnswer> => {
    const wantedDepths = queries.map(query => {
      const mayHaveQuestion = header !== undefined || asksRelay || query.prefetches.some(({ text }) => text !== null)
      return leastDepth(query, decision.plan, { mayHaveQuestion, searches: queries.length })
    })
    const { pool: least } = decision.plan.retrieval
    const searching = searchDeep(queries, { wanted: wantedDepths, least, shallow: refusals.depth }, call, () => {
      hedge.stop()
      work.start()
    })
    // The questions need no answer of Qdrant.
    const [{ upstream, depths }, asked] = await Promise.all([searching, Promise.all(queries.map(findWords))])
    // Only with a question, something is read beside the search.
    if (readsMore && asked.some(({ words }) => words.text !== null) && !hedge.isDue()) await learnLimit()
    const named = await findNamed(
      asked.map(({ query, words: { text } }, at) => ({
        query,
        text,
        lists: upstream.lists[at] ?? [],
        depth: depths[at] ?? 0,
      })),
    )
    const { collection } = target
    const batchId = queries.length > 1 ? randomUUID() : null
    const choices = asked.map(({ query, words }, index) =>
      improvePoints(
        {
          ...{ query, words, collection, mapping, decision, sessionId, batchId, ending },
          lists: upstream.lists[index] ?? [],
          depth: depths[index] ?? 0,
          named: named.points[index] ?? NOTHING_NAMED,
          degraded: named.degraded,
        },
        choosePoints,
        readLimit.isKnown ? null : fetchNeighbours,
        { ...caller, signal: choosing.signal },
      ),
    )
    return { searches: await Promise.all(choices), upstream }
  }
  const answer = Promise.race([improve(), whenAborted(wanted)])
    .catch(error => {
      if (error instanceof NotImproved || !choosing.signal.aborted) throw error
      throw new NotImproved('deadline', `while choosing points: ${error}`, { cause: error })
    })
    .finally(() => {
      work.stop()
      hedge.stop()
      choosing.dispose()
      deadline.dispose()
      dispose()
    })
  return {
    answer,
    overdue: Promise.race([hedge.due, lapsed]),
    lapsed,
    stop: () => stopped.abort(new Error('the original request was answered')),
  }
}

/** Whether a plan reads named documents or neighbours beside the search of a question. */
function readsBesideSearch({ retrieval, reunification }: Plan): boolean {
  const { enabled, expansion, fetch } = reunification
  return retrieval.namedDocuments !== null || (enabled && expansion > 0 && fetch)
}

/** The same client, which shows each answer to the read limit. */
function noticingLimit({ readRaw }: QdrantHttp, limit: ReadLimit): UpstreamCall['http'] {
  return {
    async readRaw(read) {
      const answer = await readRaw(read)
      limit.notice(answer.status, headerValue(answer.headers, 'retry-after'))
      return answer
    },
  }
}

/** The status that Qdrant has refused with; null for another fault. */
function statusIn(error: unknown): number | null {
  return error instanceof NotImproved ? error.status : statusOf(error)
}

/** Becomes due after the hedge time, unless it is stopped before, or the deadline comes first. */
function startHedge(hedgeMs: number, timeMs: number, { after }: Clock) {
  let isDue = false
  let stop = () => {}
  const due = new Promise<'hedged'>(resolve => {
    if (hedgeMs >= timeMs) return
    stop = after(hedgeMs, () => {
      isDue = true
      resolve('hedged')
    })
  })
  return { due, isDue: () => isDue, stop }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const giveUp = () => reject(signal.reason)
    if (signal.aborted) giveUp()
    else signal.addEventListener('abort', giveUp, { once: true })
  })
}

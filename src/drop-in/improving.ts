import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { eitherSignal } from '../core/either-signal.ts'
import type { Caller } from '../pipeline/caller.ts'
import { startDeadline } from '../pipeline/deadline.ts'
import { Pace } from '../pipeline/pacing/pace.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import type { ChoosePoints, ChoosePointsRequest, PrepareQuestion } from '../pipeline/services.ts'
import type { QdrantHttp } from '../qdrant/client.ts'
import type { SearchTarget } from '../qdrant/paths.ts'
import type { PayloadMappings } from '../qdrant/payload/mappings.ts'
import { readChunk } from '../qdrant/payload/read-chunk.ts'
import { headerValue } from '../qdrant/raw-headers.ts'
import type { Refusals } from '../qdrant/refusals.ts'
import type { WorkMeter } from './admission.ts'
import { improvePoints } from './answer.ts'
import type { Clock } from './clock.ts'
import { leastDepth } from './depth.ts'
import { searchDeep } from './fetching/deep-search.ts'
import { ExtraReads, type FindDocumentFilter, type ReadBreakers } from './fetching/extra-reads.ts'
import { NOTHING_NAMED } from './fetching/named-documents.ts'
import type { UpstreamCall } from './fetching/upstream-search.ts'
import { NotImproved } from './not-improved.ts'
import { type FindQuestion, findQueryText, type QueryText } from './query/query-text.ts'
import type { UnderstoodQuery } from './query/understand.ts'
import type { ReadLimit } from './read-limit.ts'
import { improvingTimeMs } from './request.ts'
import type { ImprovedAnswer } from './response.ts'
import { whenAborted } from './when-aborted.ts'

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
  /** Absent: documents that a question names are not searched. */
  documentFilter?: FindDocumentFilter
  /** Where Qdrant has refused what improves a search. */
  refusals: { depth: Refusals; documents: Refusals }
  readBreakers: ReadBreakers
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

/** A request of a client that is to be improved. */
export interface AskedSearches extends Pick<ChoosePointsRequest, 'decision' | 'sessionId' | 'ending'> {
  request: IncomingMessage
  target: SearchTarget
  queries: readonly UnderstoodQuery[]
  caller: Caller
}

/** Share of the time after which choosing points is asked to end. A reranker that stops early still gives a useful order. */
const CHOOSING_SHARE = 0.8

export function startImproving(asked: AskedSearches, dependencies: ImprovingDependencies): Improving {
  const { deadlineMs, hedgeMs, clock, work, readLimit } = dependencies
  const timeMs = improvingTimeMs(asked.target.queryString, deadlineMs)
  const stopped = new AbortController()
  const { signal: wanted, dispose } = eitherSignal(asked.caller.signal, stopped.signal)
  const deadline = startDeadline(wanted, timeMs, clock.after)
  const choosing = startDeadline(deadline.signal, timeMs * CHOOSING_SHARE, clock.after)
  // A hedge is one more read.
  const hedge = startHedge(readLimit.isKnown ? timeMs : hedgeMs, timeMs, clock)
  const lapsed = new Promise<'deadline'>(resolve => {
    deadline.signal.addEventListener('abort', () => !wanted.aborted && resolve('deadline'), { once: true })
  })
  const limits = { hedge, deadline: deadline.signal, choosing: choosing.signal }
  const answer = Promise.race([improve(asked, limits, dependencies), whenAborted(wanted)])
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

/** What ends the parts of an attempt. */
interface Limits {
  hedge: Hedge
  /** Ends the calls to Qdrant. */
  deadline: AbortSignal
  /** Ends the choice of points. */
  choosing: AbortSignal
}

/** Searches, finds the questions meanwhile, reads what belongs to them, and chooses the points of each search. */
async function improve(
  asked: AskedSearches,
  { hedge, deadline, choosing }: Limits,
  dependencies: ImprovingDependencies,
): Promise<ImprovedAnswer> {
  const { request, target, queries, caller, decision, sessionId, ending } = asked
  const { http, choosePoints, documentFilter, refusals, hedgeMs, clock, work, readLimit } = dependencies
  const { plan } = decision
  const { collection } = target
  const mapping = dependencies.mappings?.[collection]
  const call: UpstreamCall = {
    http: noticingLimit(http, readLimit),
    target,
    headers: request.rawHeaders,
    chunkOf: point => readChunk(point, collection, mapping),
    pace: new Pace(deadline, { tenant: caller.tenant?.name ?? null }),
    signal: deadline,
  }
  const reads = new ExtraReads({
    ...{ call, caller, plan, choosing, clock, work, readLimit, documentFilter },
    quickMs: hedgeMs,
    isSlow: hedge.isDue,
    refused: refusals.documents,
    breakers: dependencies.readBreakers,
  })
  const sources = sourcesOf(asked, dependencies)
  const wanted = wantedDepths(queries, plan, sources)
  const searching = searchDeep(queries, { wanted, least: plan.retrieval.pool, shallow: refusals.depth }, call, () => {
    hedge.stop()
    work.start()
  })
  // The questions need no answer of Qdrant.
  const finding = Promise.all(queries.map(query => findWords(query, sources, asked, dependencies)))
  // Only with a question, something is read beside the search.
  const learning = finding.then(
    questions => (questions.some(({ words }) => words.text !== null) ? reads.learnLimit() : undefined),
    () => {},
  )
  const [{ upstream, depths }, questions] = await Promise.all([searching, finding])
  const found = questions.map((question, at) => ({
    ...question,
    lists: upstream.lists[at] ?? [],
    depth: depths[at] ?? 0,
  }))
  await reads.awaitLimit(learning)
  const named = await reads.findNamed(found.map(({ words: { text }, ...search }) => ({ ...search, text })))
  const { degraded } = named
  const batchId = queries.length > 1 ? randomUUID() : null
  const choices = found.map((search, at) =>
    improvePoints(
      {
        ...search,
        ...{ collection, mapping, decision, sessionId, batchId, ending, degraded },
        named: named.points[at] ?? NOTHING_NAMED,
      },
      choosePoints,
      reads.fetchPoints,
      { ...caller, signal: choosing },
    ),
  )
  return { searches: await Promise.all(choices), upstream }
}

/** Where questions are looked for beside the searches themselves. */
interface QuestionSources {
  header: string | undefined
  /** Null when the relay is not asked. */
  relay: FindQuestion | null
}

function sourcesOf(
  { request, caller, decision }: AskedSearches,
  { findQuestion }: ImprovingDependencies,
): QuestionSources {
  const asksRelay = findQuestion !== undefined && decision.findsQuestion
  return {
    header: request.headers['x-stowage-query']?.toString(),
    relay: asksRelay ? vector => findQuestion(caller, vector) : null,
  }
}

/** For each search, the least number of hits that should be asked of each list. */
function wantedDepths(
  queries: readonly UnderstoodQuery[],
  plan: Plan,
  { header, relay }: QuestionSources,
): readonly number[] {
  return queries.map(query => {
    const mayHaveQuestion = header !== undefined || relay !== null || query.prefetches.some(({ text }) => text !== null)
    return leastDepth(query, plan, { mayHaveQuestion, searches: queries.length })
  })
}

/** Finds the question of a search, and lets models read it while Qdrant searches. */
async function findWords(
  query: UnderstoodQuery,
  { header, relay }: QuestionSources,
  { caller, decision }: AskedSearches,
  { prepareQuestion }: ImprovingDependencies,
): Promise<{ query: UnderstoodQuery; words: QueryText }> {
  const words = await findQueryText(header, query, relay, caller.tenant?.condition ?? null)
  if (words.text !== null) prepareQuestion?.(words.text, decision, caller)
  return { query, words }
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

interface Hedge {
  due: Promise<'hedged'>
  isDue: () => boolean
  stop: () => void
}

/** Becomes due after the hedge time, unless it is stopped before, or the deadline comes first. */
function startHedge(hedgeMs: number, timeMs: number, { after }: Clock): Hedge {
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

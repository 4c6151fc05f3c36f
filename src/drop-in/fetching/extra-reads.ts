import { messageOf } from '../../core/errors.ts'
import type { StoreCall } from '../../core/ports.ts'
import type { Degradation } from '../../core/types.ts'
import type { Attempt, Verdict } from '../../core/work/breaker.ts'
import type { Caller } from '../../pipeline/caller.ts'
import { startDeadline } from '../../pipeline/deadline.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import type { DocumentFilter } from '../../qdrant/documents-filter.ts'
import { retryAfterOf, statusOf } from '../../qdrant/errors.ts'
import { isRefusal, type Refusals } from '../../qdrant/refusals.ts'
import type { WorkMeter } from '../admission.ts'
import type { Breakers } from '../breaker.ts'
import type { Clock } from '../clock.ts'
import { NotImproved } from '../not-improved.ts'
import type { ReadLimit } from '../read-limit.ts'
import { whenAborted } from '../when-aborted.ts'
import { type FoundLists, type NamedPoints, NOTHING_NAMED, searchNamed } from './named-documents.ts'
import { type FetchPoints, fetchPoints, type UpstreamCall } from './upstream-search.ts'

/** How points of a collection are filtered by document; null where there is no quick way. */
export type FindDocumentFilter = (collection: string, call: StoreCall) => Promise<DocumentFilter | null>

interface ExtraReadsOptions {
  call: UpstreamCall
  caller: Caller
  plan: Plan
  /** Aborts when the choice of points has to end. */
  choosing: AbortSignal
  /** Longest time of one read, in milliseconds. */
  quickMs: number
  /** Whether Qdrant was not quick. */
  isSlow: () => boolean
  clock: Clock
  work: WorkMeter
  readLimit: ReadLimit
  /** Where Qdrant has refused searches in named documents. */
  refused: Refusals
  /** Where reads failed, or took too long. */
  breakers: ReadBreakers
  /** Absent: documents that a question names are not searched. */
  documentFilter?: FindDocumentFilter
}

/** Breakers of what is read beside searches, by what is read. */
export type ReadBreakers = Readonly<Record<'documents' | 'neighbours', Pick<Breakers, 'admit'>>>

const READS_LIMITED: Degradation = {
  code: 'reads_limited',
  detail: 'a limit of Qdrant, a 429 in the last ten minutes, or Qdrant has not said that there is no limit',
}

/** What one attempt reads beside the searches of the client. Without it, they are as good as they were, so each read has the time of one quick call. */
export class ExtraReads {
  readonly #options: ExtraReadsOptions

  constructor(options: ExtraReadsOptions) {
    this.#options = options
  }

  /** Without neighbours the ranking is ready, so a slow or limited Qdrant is not asked. Null when it can have a limit on reads. */
  get fetchPoints(): FetchPoints | null {
    const { call, isSlow, readLimit } = this.#options
    if (!isSlow() && !readLimit.allowsMore) return null
    return async (query, condition, limit) => {
      if (isSlow()) throw new Error('Qdrant is slow')
      if (!readLimit.allowsMore) throw new Error('Qdrant limits reads')
      return this.#read('neighbours', async (signal, admit) => {
        admit()
        return fetchPoints(query, condition, limit, { ...call, signal })
      })
    }
  }

  /** Asks for a limit on reads while Qdrant searches. Never rejects. */
  async learnLimit(): Promise<void> {
    const { plan, caller, readLimit } = this.#options
    if (readsBesideSearch(plan)) await readLimit.learn(caller.apiKey)
  }

  /** Waits for `learnLimit` after Qdrant has searched. When it takes longer than one quick call, nothing more is read. */
  async awaitLimit(learning: Promise<void>): Promise<void> {
    if (this.#options.isSlow()) return
    await this.#quickly(signal => Promise.race([learning, whenAborted(signal).catch(() => {})]))
  }

  /** Searches in the documents that the questions name. Never rejects. @returns one result for each search, in their order */
  async findNamed(searches: readonly FoundLists[]): Promise<{ points: NamedPoints[]; degraded: Degradation[] }> {
    const { call, plan, isSlow, readLimit, refused } = this.#options
    const { namedDocuments: most, pool: hits } = plan.retrieval
    const { collection } = call.target
    const nothing = (degraded: Degradation[]) => ({ points: searches.map(() => NOTHING_NAMED), degraded })
    if (isSlow()) return nothing([])
    if (!readLimit.allowsMore)
      return nothing(readsBesideSearch(plan) && searches.some(({ text }) => text !== null) ? [READS_LIMITED] : [])
    if (most === null || refused.has(collection)) return nothing([])
    try {
      const points = await this.#read('documents', async (signal, admit) => {
        const findFilter = async () => {
          admit()
          return this.#findFilter(signal)
        }
        return searchNamed(searches, { most, hits }, findFilter, { ...call, signal })
      })
      return { points, degraded: [] }
    } catch (error) {
      readLimit.notice(statusOf(error), retryAfterOf(error))
      if (isRefusal(statusIn(error))) refused.add(collection)
      return nothing([{ code: 'named_documents_not_searched', detail: messageOf(error) }])
    }
  }

  async #findFilter(signal: AbortSignal): Promise<DocumentFilter | null> {
    const { call, caller, documentFilter } = this.#options
    const { apiKey, tenant } = caller
    const reads = { apiKey, condition: tenant?.condition ?? null, signal }
    return documentFilter?.(call.target.collection, reads) ?? null
  }

  /**
   * Reads for at most the time of a quick call. After some reads in a row that failed or were late, such as those with a filter that has no index, nothing is read for a while:
   * each would delay the answer, and Qdrant works on.
   * @param read calls `admit` before it asks Qdrant, which throws an Error during that pause
   */
  async #read<Result>(
    what: keyof ReadBreakers,
    read: (signal: AbortSignal, admit: () => void) => Promise<Result>,
  ): Promise<Result> {
    const { call, caller, choosing, breakers } = this.#options
    const attempts: Attempt[] = []
    const settle = (verdict: Verdict) => {
      for (const attempt of attempts) attempt.settle(verdict)
    }
    const admit = () => {
      const attempt = breakers[what].admit(call.target.collection, caller.tenant?.name ?? null)
      if (attempt === null) throw new Error('earlier reads have failed, or took too long')
      attempts.push(attempt)
    }
    try {
      const result = await this.#quickly(signal => read(signal, admit))
      settle('good')
      return result
    } catch (error) {
      settle(choosing.aborted ? 'unknown' : 'bad')
      throw error
    }
  }

  /** Waits for a read for at most the time of a quick call. The time does not count as work. */
  async #quickly<Result>(read: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { choosing, quickMs, clock, work } = this.#options
    const soon = startDeadline(choosing, quickMs, clock.after)
    return work.pause(read(soon.signal)).finally(soon.dispose)
  }
}

/** Whether a plan reads named documents or neighbours beside the search of a question. */
function readsBesideSearch({ retrieval, reunification }: Plan): boolean {
  const { enabled, expansion, fetch } = reunification
  return retrieval.namedDocuments !== null || (enabled && expansion > 0 && fetch)
}

/** The status that Qdrant has refused with; null for another fault. */
function statusIn(error: unknown): number | null {
  return error instanceof NotImproved ? error.status : statusOf(error)
}

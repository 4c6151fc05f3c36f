import { join } from 'node:path'
import type { PassageStore, StoreCall } from '../../core/ports.ts'
import type { Candidate } from '../../core/types.ts'
import type { DropReason } from '../../core/vocabulary.ts'
import type { SourceDocument } from '../../ingest/read-documents.ts'
import type { Packed } from '../../pack/pack.ts'
import type { TimedCaller } from '../../pipeline/context-request.ts'
import { noDeadline } from '../../pipeline/deadline.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { rankContext } from '../../pipeline/run-context.ts'
import { RunRecord } from '../../pipeline/run-record.ts'
import type { PipelinePorts } from '../../pipeline/services.ts'
import { buildTrace } from '../../pipeline/trace/build-trace.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { PlanArm } from '../arms/arm.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import type { GoldenQuery, GoldenSet } from '../golden-set/golden-set.ts'
import type { LockFolder } from '../journal/file-journal.ts'
import type { Journal } from '../journal/journal.ts'
import { openJournal } from '../journal/journals.ts'
import type { RankedText, ReplayRun } from '../metrics/measure-run.ts'
import { PortCache, type StageTimes } from './cached-ports.ts'
import type { ReplayDependencies, ReplayJob } from './replay.ts'
import { planForTenant, type ReplayTenants, tenantOf, tenantsOf } from './tenants.ts'

/** Changes when older cache folders can no longer be read. */
const CACHE_FORMAT = 2
const COLLECTION = 'replay'
/** Folder of the journals, beside those of the ingested sets. */
const JOURNALS = 'journal'
const newCaller = (who: AskedBy): TimedCaller => ({
  ...who,
  tenant: null,
  deadline: noDeadline(),
  crowded: () => false,
})

/** Candidates with these reasons never reached packing, so their values are on another scale. */
export const CUT_BEFORE_PACKING: ReadonlySet<DropReason> = new Set([
  'duplicate',
  'below_pool',
  'rerank_cut',
  'redundant',
  'text_missing',
])

/** Who asks a query: the key and the condition of its reads. */
export type AskedBy = Pick<StoreCall, 'apiKey' | 'condition'>

/** The collection that the queries of a set are asked in. */
export interface AskedCollection {
  store: PassageStore
  collection: string
  /** Points of the collection. */
  chunks: number
  askedBy(query: GoldenQuery): AskedBy
  close(): Promise<void>
}

/** An open folder of the embedded engine. */
export interface ReplayFolder {
  store: PassageStore
  /** Ingests the documents and resolves with the number of chunks in the collection. Unchanged documents are skipped. */
  ingest(
    documents: SourceDocument[],
    options: { collection: string; chunkTokens: number; onProgress: (done: number, total: number) => void },
  ): Promise<number>
  close(): Promise<void>
}

export interface ReplayEnvironment {
  ports: Omit<PipelinePorts, 'store'>
  openFolder(folder: string): Promise<ReplayFolder>
  /** Opens a collection that stands on a server, for sets whose gold passages stand there. */
  openLive(collection: string): Promise<AskedCollection>
  /** The model of the reference tokenizer. */
  referenceModel: string
  /** The tenants that queries can name; absent without `TENANTS_FILE`. */
  tenants?: ReplayTenants | null
  /** Where replays note what is done; absent when an interrupted one need not go on. */
  journals?: {
    /** Holds a folder for this process. */
    lock: LockFolder
    /** Version of stowage with a hash of its sources. */
    stowage: () => string
  }
}

/** Creates a replay on the real pipeline. Each pair of corpus, embedder and chunk size has its own folder of the embedded engine. */
export function createReplayDependencies(environment: ReplayEnvironment): ReplayDependencies<PlanArm> {
  const { ports, openFolder, openLive, referenceModel, tenants = null, journals } = environment
  const referenceTokenizer = ports.tokenizer(referenceModel)
  const embedder = ports.embedder?.version ?? null
  return {
    reranker: ports.reranker?.model ?? null,
    countTokens: text => referenceTokenizer.count(text),
    ...(journals && { openJournal: job => openJournalOf(job, environment, journals) }),
    prepare: async (set, job) => {
      const asked = await (set.collection === undefined ? ingested(set, job) : openLive(set.collection))
      const caches = new Map<GoldenQuery, PortCache>()
      const cacheOf = (query: GoldenQuery) => {
        const cache = caches.get(query) ?? new PortCache({ ...ports, store: asked.store })
        caches.set(query, cache)
        return cache
      }
      return {
        chunks: asked.chunks,
        embedder,
        run: (query, { plan }, budgets) =>
          runAtBudgets(query, planForQuery(query, plan, tenants), budgets, cacheOf(query), asked),
        forget: query => void caches.delete(query),
        close: () => asked.close(),
      }
    },
  }

  async function ingested(
    set: GoldenSet,
    { chunkTokens, cacheFolder, onProgress }: ReplayJob,
  ): Promise<AskedCollection> {
    tenantsOf(set, tenants)
    const name = contentHash(JSON.stringify([CACHE_FORMAT, set.corpusHash, embedder, chunkTokens]))
    const folder = await openFolder(join(cacheFolder, name))
    try {
      const chunks = await folder.ingest(set.documents, {
        collection: COLLECTION,
        chunkTokens,
        onProgress: (done, total) => onProgress(`${set.name}: ingest`, done, total),
      })
      // The set is a copy of its own, in a collection that no tenant has, so only the condition says what is read.
      const askedBy = ({ id, tenant }: GoldenQuery): AskedBy => ({
        apiKey: null,
        condition: tenant === null ? null : tenantOf({ id, tenant }, tenants).condition,
      })
      return { store: folder.store, collection: COLLECTION, chunks, askedBy, close: () => folder.close() }
    } catch (error) {
      await folder.close()
      throw error
    }
  }
}

function openJournalOf(
  { sets, arms, budgets, chunkTokens, limitQueries, details = false, cacheFolder, fresh = false }: ReplayJob,
  { ports: { embedder, reranker }, referenceModel, tenants = null }: ReplayEnvironment,
  { lock, stowage }: NonNullable<ReplayEnvironment['journals']>,
): Journal {
  const identity = {
    sets: sets.map(({ name, hash }) => ({ name, hash })),
    arms,
    budgets,
    chunkTokens,
    limitQueries,
    details,
    embedder: embedder?.version ?? null,
    reranker: reranker?.model ?? null,
    referenceModel,
    collections: sets.map(({ collection = null }) => collection),
    tenants: sets.map(set => (set.collection !== undefined && tenants === null ? [] : tenantsOf(set, tenants))),
    stowage: stowage(),
  }
  return openJournal(join(cacheFolder, JOURNALS), identity, { lock, isFresh: fresh })
}

/** The plan of an arm for a query: `serve` would change it for the tenant that asks. */
function planForQuery({ tenant }: GoldenQuery, arm: Plan, declared: ReplayTenants | null): Plan {
  const found = declared?.tenants.find(({ name }) => name === tenant)
  return declared === null || found === undefined ? arm : planForTenant(arm, found.plan, declared.configured)
}

/** Ranks once, and packs for each budget. Every run is charged with the whole time of its ranking. */
async function runAtBudgets(
  golden: GoldenQuery,
  plan: Plan,
  budgets: readonly number[],
  cache: PortCache,
  { collection, askedBy }: AskedCollection,
): Promise<ReplayRun[]> {
  const { query, filter } = golden
  const startedAt = new Date().toISOString()
  const record = new RunRecord(() => performance.now())
  const { ports, takeSaved } = cache.forRun(plan.rerank.deadlineMs)
  const collections = [collection]
  const who = askedBy(golden)
  const ranked = await rankContext({ query, collections, filter, vector: null, plan }, ports, newCaller(who), record)
  const rankingMs = record.elapsedMs
  const savedInRanking = takeSaved()
  const runs: ReplayRun[] = []
  try {
    for (const budgetTokens of budgets) {
      const own = record.branchAt(rankingMs)
      const { packed, intent, encoding } = await ranked.packAt(budgetTokens, own)
      const savedMs = sumOfTimes([savedInRanking, takeSaved()])
      const totalMs = Object.values(savedMs).reduce((sum, ms) => sum + ms, own.elapsedMs)
      runs.push({
        context: packed.context,
        format: plan.format,
        packed: packed.packed.map(({ candidate: { chunk }, text }) => ({
          id: String(chunk.id),
          docId: chunk.docId,
          text,
        })),
        ranked: rankedOf(packed),
        spans: spansOf(packed),
        stageMs: sumOfTimes([savedMs, ...own.stages.map(({ name, ms }) => ({ [name]: ms }))]),
        totalMs,
        degraded: own.degraded.map(({ code }) => code),
        candidates: () => [...packed.packed, ...packed.dropped].map(({ candidate }) => rankedText(candidate)),
        trace: () => {
          const subject = {
            traceId: '',
            startedAt,
            endpoint: 'replay',
            tenant: golden.tenant,
            sessionId: null,
          } as const
          const decision = { assignment: null, flags: [] }
          const asked = { ...subject, collections, query, plan: { ...plan, budgetTokens }, decision }
          const trace = buildTrace(asked, own, { intent, packed, encoding, cache: 'off' })
          return { ...trace, duration_ms: totalMs }
        },
      })
    }
  } finally {
    ranked.release()
  }
  return runs
}

function sumOfTimes(times: readonly StageTimes[]): StageTimes {
  const sums: StageTimes = {}
  for (const [stage, ms] of times.flatMap(Object.entries)) sums[stage] = (sums[stage] ?? 0) + ms
  return sums
}

/** The candidates that reached packing, best first. */
function rankedOf({ packed, dropped }: Packed): RankedText[] {
  const tried = dropped.flatMap(({ candidate, reason }) => (CUT_BEFORE_PACKING.has(reason) ? [] : [candidate]))
  return [...packed.map(({ candidate }) => candidate), ...tried]
    .sort((left, right) => right.value - left.value)
    .map(rankedText)
}

function rankedText({ chunk: { id, docId, text } }: Candidate): RankedText {
  return { id: String(id), docId, text }
}

/** Ranges of the packed text in its documents. A chunk without offsets counts as no evidence. */
function spansOf({ packed }: Packed): DocumentSpan[] {
  return packed.flatMap(({ candidate: { chunk }, spans }) => {
    const { docId, charStart, charEnd, text } = chunk
    if (charStart === null) return []
    // The head of a table that stands in front of a chunk is not part of its range.
    const origin = charEnd === null ? charStart : Math.min(charStart, charEnd - text.length)
    return spans.map(({ start, end }) => ({ docId, start: Math.max(charStart, origin + start), end: origin + end }))
  })
}

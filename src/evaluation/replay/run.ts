import { join } from 'node:path'
import type { ContextWriter } from '../../contexts/context.ts'
import { groupBy } from '../../core/collections.ts'
import { badRequest } from '../../core/errors.ts'
import type { PassageStore } from '../../core/ports.ts'
import type { Effort } from '../../core/types.ts'
import type { SourceDocument } from '../../ingest/source-document.ts'
import { noDeadline } from '../../pipeline/deadline.ts'
import { candidatesWanted } from '../../pipeline/plan/derived.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { type ContextRun, rankContext } from '../../pipeline/run-context.ts'
import { RunRecord } from '../../pipeline/run-record.ts'
import type { PipelinePorts } from '../../pipeline/services.ts'
import { buildTrace, type TraceSubject } from '../../pipeline/trace/build-trace.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { PlanArm } from '../arms/arm.ts'
import type { GoldenQuery, GoldenSet } from '../golden-set/golden-set.ts'
import type { Journal } from '../journal/journal.ts'
import { openJournal } from '../journal/journals.ts'
import type { ReplayRun } from '../metrics/measure-run.ts'
import type { StageTimes } from './cached-ports.ts'
import { consideredOf, rankedOf, spansOf } from './ranked-texts.ts'
import type { ReplayDependencies, ReplayJob } from './replay.ts'
import { type AskedBy, type AskedCollection, isContextual, openSources, type Source } from './sources.ts'
import { planForTenant, type ReplayTenants, tenantOf, tenantsOf } from './tenants.ts'

/** Changes when older cache folders can no longer be read. */
const CACHE_FORMAT = 3
const COLLECTION = 'replay'
/** Folder of the journals, beside those of the ingested sets. */
const JOURNALS = 'journal'

/** An open folder of the embedded engine. */
export interface ReplayFolder {
  store: PassageStore
  /** Ingests the documents and resolves with the number of chunks in the collection. Unchanged documents are skipped. */
  ingest(
    documents: SourceDocument[],
    options: Required<Pick<ReplayJob, 'chunkTokens' | 'chunking'>> & {
      collection: string
      contexts: ContextWriter | null
      /** Is told the documents, and the size of those that changed. */
      onProgress: (done: number, total: number, effort: Effort) => void
    },
  ): Promise<number>
  close(): Promise<void>
}

export interface ReplayEnvironment {
  ports: Omit<PipelinePorts, 'store'>
  openFolder(folder: string): Promise<ReplayFolder>
  /** Opens a collection that stands on a server, for sets whose gold passages stand there. */
  openLive(collection: string): Promise<AskedCollection>
  /** The address of this server, and how its points are read, as JSON: figures depend on it. Absent when no set stands there. */
  liveServer?: object
  /** Writes the contexts of the chunks for arms with `retrieval.contextual`; called when such an arm is there. */
  contexts: () => ContextWriter
  /** Collections with contexts, by the collection that they stand for. */
  contextualTwins: ReadonlyMap<string, string>
  referenceModel: string
  /** The tenants that queries can name; absent without `TENANTS_FILE`. */
  tenants?: ReplayTenants | null
  /**
   * Version of stowage with hashes of its sources and of its local models, for the journals in which replays note what is done; absent
   * when an interrupted one need not go on.
   */
  stowage?: () => string
}

/** Creates a replay on the real pipeline. Each pair of corpus, embedder and chunk size has its own folder of the embedded engine. */
export function createReplayDependencies(environment: ReplayEnvironment): ReplayDependencies<PlanArm> {
  const { ports, openLive, contextualTwins, referenceModel, tenants = null, stowage } = environment
  const referenceTokenizer = ports.tokenizer(referenceModel)
  const embedder = ports.embedder?.version ?? null
  return {
    embedder,
    reranker: ports.reranker?.model ?? null,
    countTokens: text => referenceTokenizer.count(text),
    ...(stowage && { openJournal: job => openJournalOf(job, environment, stowage()) }),
    prepare: async (set, job) => {
      const open = (contextual: boolean) =>
        set.collection === undefined ? ingested(set, job, contextual) : opened(set.collection, contextual)
      const asked = await openSources(job.arms, ports, open)
      return {
        chunks: asked.first.chunks,
        embedder,
        run: (query, { plan }, budgets) =>
          runAtBudgets(query, planForQuery(query, plan, tenants), budgets, asked.of(plan)),
        forget: query => asked.forget(query),
        close: () => asked.close(),
      }
    },
  }

  function opened(collection: string, contextual: boolean): Promise<AskedCollection> {
    if (!contextual) return openLive(collection)
    const twin = contextualTwins.get(collection)
    if (twin !== undefined) return openLive(twin)
    const message = `CONTEXTUAL_COLLECTIONS names no collection with contexts for ${collection}; retrieval.contextual needs one`
    throw badRequest(message)
  }

  async function ingested(
    set: GoldenSet,
    { chunkTokens, chunking = 'sections', cacheFolder, onProgress }: ReplayJob,
    contextual: boolean,
  ): Promise<AskedCollection> {
    tenantsOf(set, tenants)
    const writer = contextual ? environment.contexts() : null
    const kinds = [...(writer === null ? [] : [writer.version]), ...(chunking === 'sections' ? [] : [chunking])]
    const name = contentHash(JSON.stringify([CACHE_FORMAT, set.corpusHash, embedder, chunkTokens, ...kinds]))
    const folder = await environment.openFolder(join(cacheFolder, name))
    try {
      const chunks = await folder.ingest(set.documents, {
        collection: COLLECTION,
        chunkTokens,
        contexts: writer,
        chunking,
        onProgress: (done, total, effort) => onProgress(`${set.name}: ingest`, done, total, '', effort),
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
  job: ReplayJob,
  {
    ports: { embedder, reranker },
    contexts,
    contextualTwins,
    liveServer,
    referenceModel,
    tenants = null,
  }: ReplayEnvironment,
  stowage: string,
): Journal {
  const { sets, arms, budgets, chunkTokens, chunking, limitQueries, details = false, explain = false, judge } = job
  const identity = {
    sets: sets.map(({ name, hash }) => ({ name, hash })),
    ...{ arms, budgets, chunkTokens },
    chunking: chunking === 'sections' ? undefined : chunking,
    ...{ limitQueries, details, explain },
    judge: judge ? [judge.name, judge.budgetTokens] : null,
    embedder: embedder?.version ?? null,
    reranker: reranker?.model ?? null,
    referenceModel,
    // Null when no arm reads chunks with contexts.
    contexts: arms.some(isContextual) ? contexts().version : null,
    collections: sets.map(({ collection }) =>
      collection === undefined ? null : { collection, twin: contextualTwins.get(collection), ...liveServer },
    ),
    // What they may read, and by which plans.
    tenants: sets.map(set => (set.collection !== undefined && tenants === null ? [] : tenantsOf(set, tenants))),
    stowage,
  }
  return openJournal(join(job.cacheFolder, JOURNALS), identity, job.fresh ?? false)
}

/** The plan of an arm for a query: `serve` would change it for the tenant that asks. */
function planForQuery({ tenant }: GoldenQuery, arm: Plan, declared: ReplayTenants | null): Plan {
  const found = declared?.tenants.find(({ name }) => name === tenant)
  return declared === null || found === undefined ? arm : planForTenant(arm, found.plan, declared.configured)
}

/** Packs a query for each budget. Budgets that ask for equally many candidates share a ranking. */
async function runAtBudgets(
  golden: GoldenQuery,
  plan: Plan,
  budgets: readonly number[],
  source: Source,
): Promise<ReplayRun[]> {
  const plans = budgets.map(budgetTokens => ({ ...plan, budgetTokens }))
  const runs = new Map<number, ReplayRun>()
  for (const alike of groupBy(plans, candidatesWanted).values())
    for (const [at, run] of (await runWithOneRanking(golden, alike, source)).entries())
      runs.set(alike[at]?.budgetTokens ?? 0, run)
  return budgets.flatMap(budget => runs.get(budget) ?? [])
}

/** Ranks once, and packs by each plan. Every run is charged with the whole time of the ranking. @param plans that differ in their budget alone */
async function runWithOneRanking(
  golden: GoldenQuery,
  plans: readonly Plan[],
  { collection, askedBy, cacheOf }: Source,
): Promise<ReplayRun[]> {
  const [plan] = plans
  if (plan === undefined) return []
  const { query, filter } = golden
  const record = new RunRecord(() => performance.now())
  const { ports, takeSaved } = cacheOf(golden).forRun(plan.rerank.deadlineMs)
  const collections = [collection]
  const subject = {
    ...{ traceId: '', startedAt: new Date().toISOString(), endpoint: 'replay' as const, sessionId: null },
    ...{ tenant: golden.tenant, collections, query },
  }
  const caller = { ...askedBy(golden), tenant: null, deadline: noDeadline(), crowded: () => false }
  const ranked = await rankContext({ query, collections, filter, vector: null, plan }, ports, caller, record)
  const rankingMs = record.elapsedMs
  const savedInRanking = takeSaved()
  const runs: ReplayRun[] = []
  try {
    for (const budgeted of plans) {
      const own = record.branchAt(rankingMs)
      const run = await ranked.packAt(budgeted.budgetTokens, own)
      const savedMs = sumOfTimes([savedInRanking, takeSaved()])
      runs.push(describeRun(run, { ...subject, plan: budgeted, decision: UNDECIDED }, own, savedMs))
    }
  } finally {
    ranked.release()
  }
  return runs
}

const UNDECIDED: TraceSubject['decision'] = { assignment: null, flags: [] }

/** @param savedMs what cached answers saved, which the run is charged with */
function describeRun(run: ContextRun, subject: TraceSubject, record: RunRecord, savedMs: StageTimes): ReplayRun {
  const { packed, answerable } = run
  const totalMs = Object.values(savedMs).reduce((sum, ms) => sum + ms, record.elapsedMs)
  return {
    context: packed.context,
    format: subject.plan.format,
    contextLines: packed.contextLines,
    packed: packed.packed.map(({ candidate: { chunk }, text }) => ({ id: String(chunk.id), docId: chunk.docId, text })),
    ranked: rankedOf(packed),
    spans: spansOf(packed),
    stageMs: sumOfTimes([savedMs, ...record.stages.map(({ name, ms }) => ({ [name]: ms }))]),
    totalMs,
    degraded: record.degraded.map(({ code }) => code),
    answerable,
    candidates: () => consideredOf(packed),
    trace: () => ({ ...buildTrace(subject, record, { ...run, cache: 'off' }), duration_ms: totalMs }),
  }
}

function sumOfTimes(times: readonly StageTimes[]): StageTimes {
  const sums: StageTimes = {}
  for (const [stage, ms] of times.flatMap(Object.entries)) sums[stage] = (sums[stage] ?? 0) + ms
  return sums
}

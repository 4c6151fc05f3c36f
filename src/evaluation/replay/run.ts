import { join } from 'node:path'
import type { PassageStore } from '../../core/ports.ts'
import type { Packed } from '../../pack/pack.ts'
import type { Caller } from '../../pipeline/context-request.ts'
import { planFingerprint } from '../../pipeline/plan/derived.ts'
import type { Plan } from '../../pipeline/plan/plan.ts'
import { runContext } from '../../pipeline/run-context.ts'
import { RunRecord } from '../../pipeline/run-record.ts'
import type { PipelinePorts } from '../../pipeline/services.ts'
import { contentHash } from '../../text/fingerprint.ts'
import type { GoldenDocument, GoldenSet } from '../golden-set/golden-set.ts'
import type { PackedSpan } from '../metrics/reference-tokens.ts'
import { ReplayMemory, type SparedMs } from './memoised-ports.ts'
import type { OnProgress, PreparedSet, ReplayDependencies, ReplayOptions } from './replay.ts'
import type { ReplayRun } from './run-metrics.ts'

const COLLECTION = 'replay'
const CALLER: Caller = { apiKey: null, tenant: null, signal: new AbortController().signal }

/** A folder of the embedded engine, open. */
export interface ReplayFolder {
  store: PassageStore
  /** Brings the documents in, leaving alone what is there unchanged; resolves with the number of chunks the collection then holds. */
  ingest(
    documents: GoldenDocument[],
    options: { collection: string; chunkTokens: number; onProgress: (done: number, total: number) => void },
  ): Promise<number>
  close(): Promise<void>
}

/** What the composition root brings to a replay. */
export interface ReplayWorld {
  ports: Omit<PipelinePorts, 'store'>
  openFolder(folder: string): Promise<ReplayFolder>
  /** The model whose tokenizer counts every arm's contexts. */
  referenceModel: string
}

/** Replays on the real pipeline: sets in folders of the embedded engine, one per corpus, embedder and chunk size. */
export function createReplayDependencies(world: ReplayWorld): ReplayDependencies {
  const referenceTokenizer = world.ports.tokenizer(world.referenceModel)
  return {
    prepare: (set, options, onProgress) => prepare(set, options, onProgress, world),
    countTokens: text => referenceTokenizer.count(text),
    fingerprint: planFingerprint,
  }
}

async function prepare(
  set: GoldenSet,
  options: ReplayOptions,
  onProgress: OnProgress,
  { ports, openFolder }: ReplayWorld,
): Promise<PreparedSet> {
  const embedder = ports.embedder?.version ?? null
  const folder = await openFolder(join(options.cacheFolder, folderName(set, embedder, options.chunkTokens)))
  try {
    const chunks = await folder.ingest(set.documents, {
      collection: COLLECTION,
      chunkTokens: options.chunkTokens,
      onProgress: (done, total) => onProgress({ set: set.name, phase: 'ingest', done, total }),
    })
    const memory = new ReplayMemory()
    return {
      chunks,
      embedder,
      run: (query, plan) => runOnce(query, plan, { ...ports, store: folder.store }, memory),
      close: () => folder.close(),
    }
  } catch (error) {
    await folder.close()
    throw error
  }
}

function folderName(set: GoldenSet, embedder: string | null, chunkTokens: number): string {
  return contentHash(JSON.stringify([set.corpusHash, embedder, chunkTokens]))
}

async function runOnce(query: string, plan: Plan, ports: PipelinePorts, memory: ReplayMemory): Promise<ReplayRun> {
  const spared: SparedMs = {}
  const remembered = { ...ports, ...memory.remember(ports, query, plan.rerank.deadlineMs, spared) }
  const record = new RunRecord(() => performance.now())
  const from = performance.now()
  const input = { query, collections: [COLLECTION], filter: null, vector: null, plan }
  const { packed } = await runContext(input, remembered, CALLER, record)
  const spent = performance.now() - from
  const { stages, degraded } = record
  const stageMs: Record<string, number> = {}
  for (const { name, ms } of stages) stageMs[name] = (stageMs[name] ?? 0) + ms
  for (const [name, ms] of Object.entries(spared)) stageMs[name] = (stageMs[name] ?? 0) + ms
  return {
    context: packed.context,
    tokens: packed.tokens,
    spans: spansOf(packed),
    chunkIds: packed.packed.map(({ candidate }) => String(candidate.chunk.id)),
    stageMs,
    totalMs: spent + Object.values(spared).reduce((sum, ms) => sum + ms, 0),
    degraded: degraded.map(({ code }) => code),
  }
}

/** Where the packed text stands in its documents; a chunk that does not know its place proves nothing. */
function spansOf({ packed }: Packed): PackedSpan[] {
  return packed.flatMap(({ candidate: { chunk }, spans }) => {
    const { docId, charStart } = chunk
    if (charStart === null) return []
    return spans.map(({ start, end }) => ({ docId, start: charStart + start, end: charStart + end }))
  })
}

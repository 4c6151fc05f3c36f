import { messageOf } from '../../core/errors.ts'
import type { PassageObserver, Reranker } from '../../core/ports.ts'
import { workerModule } from '../../core/work/worker-module.ts'
import { sigmoid } from '../../statistics/sigmoid.ts'
import { createCachedReranker, type Scorer, type SharedScores } from './cached-reranker.ts'
import type { PairJob } from './cross-encoder.worker.ts'
import { modelKeyOf, openSideFolder, type SideFolder } from './late-interaction/folder/side-folder.ts'
import { openLateInteraction } from './late-interaction/scorer.ts'
import { type LocalModelOptions, openLocalModel, startWorkers } from './local-model.ts'
import type { Calibration, ModelSource } from './model-folder.ts'
import { hasWrongProducts } from './onnx/integer-products.ts'

export interface CrossEncoderOptions extends LocalModelOptions {
  /** Number of scores in the cache, about 200 bytes each; default 20,000. */
  cacheEntries?: number
  /** Default: none. */
  sharedScores?: SharedScores | undefined
  /** Default is calibration.json in the folder. */
  calibration?: Calibration
  /**
   * Memory for what a model with late interaction computed from passages, in bytes; default 200 MiB, which is room for about 3,300 passages of 150 tokens.
   * 0 scores each pair as a whole.
   */
  passageBytes?: number
  /** A folder that keeps it over restarts, and its largest size in bytes; default: none. */
  passageFolder?: { path: string; maxBytes: number } | undefined
  passageObserver?: PassageObserver | undefined
  /** Told when scores can be wrong on this processor, when the graph of the model cannot be cut as its folder says, and why the folder cannot be used. */
  onWarning?: (message: string) => void
}

const VARIABLE = 'RERANK_MODEL'
const PASSAGE_BYTES = 200 * 1024 * 1024

/** A cross-encoder in worker threads, whose scores are logits. */
interface LogitModel extends Scorer {
  source: ModelSource
  /** Relevance of a logit in [0,1]: `sigmoid(logit / temperature + bias)`. */
  relevanceOf(logit: number): number
}

/**
 * A cross-encoder in worker threads. Scores are the relevance of its logits, in [0,1].
 * @throws ModelUnavailableError when the model is missing or cannot be loaded
 */
export async function createCrossEncoder(options: CrossEncoderOptions): Promise<Reranker> {
  const { source, relevanceOf, score, ...queue } = await openLogitModel(options)
  return createCachedReranker({
    model: source.id,
    languages: source.settings.languages,
    cacheEntries: options.cacheEntries,
    sharedScores: options.sharedScores,
    async score(...request) {
      const logits = await score(...request)
      return logits.map(logit => (Number.isFinite(logit) ? relevanceOf(Number(logit)) : null))
    },
    ...queue,
  })
}

/** @throws ModelUnavailableError when the model is missing or cannot be loaded */
export async function openLogitModel(options: Omit<CrossEncoderOptions, 'cacheEntries'>): Promise<LogitModel> {
  const open = (source: ModelSource) => openScorer(source, options)
  const { source, opened: scorer } = await openLocalModel(options, VARIABLE, open)
  if (await hasWrongProducts(source)) {
    options.onWarning?.(
      `${VARIABLE}: scores of ${options.model} can be wrong here: its weights are int8, and this processor cuts off sums of their products. Take weights that are uint8, or of seven bits, or onnx/model.onnx without quantization`,
    )
  }
  const { temperature, bias } = options.calibration ?? source.calibration
  return { ...scorer, source, relevanceOf: logit => sigmoid(logit / temperature + bias) }
}

/** Computes logits: by late interaction where the folder declares it, else pair by pair. */
async function openScorer(source: ModelSource, options: CrossEncoderOptions): Promise<Scorer> {
  const { passageBytes = PASSAGE_BYTES, onWarning } = options
  const cut = source.settings.late_interaction
  if (cut === undefined || passageBytes === 0) {
    const reason = passageBytes === 0 ? 'RERANK_MEMORY_MB is 0' : `${options.model} reads each pair as a whole`
    if (options.passageFolder !== undefined) onWarning?.(`RERANK_DISK_PATH is not used: ${reason}`)
    return openPairScorer(source, options)
  }
  try {
    const places = {
      maxBytes: passageBytes,
      folder: await openFolder(source, options),
      observer: options.passageObserver,
    }
    return await openLateInteraction(source, options, places)
  } catch (error) {
    const reason = messageOf(error)
    onWarning?.(
      `${VARIABLE}: ${options.model} reads each passage anew for each question, because its graph cannot be cut as late_interaction in its stowage.json says: ${reason}`,
    )
    return openPairScorer(source, options)
  }
}

/** Null when none is wanted, or nothing can be written there: the reranker works without it. */
async function openFolder(
  source: ModelSource,
  { passageFolder, passageObserver, onWarning }: CrossEncoderOptions,
): Promise<SideFolder | null> {
  if (passageFolder === undefined) return null
  try {
    const onFault = (detail: string) => passageObserver?.passageFolderFailed({ detail })
    return await openSideFolder({ ...passageFolder, modelKey: await modelKeyOf(source), onFault })
  } catch (error) {
    const reason = messageOf(error)
    onWarning?.(`RERANK_DISK_PATH: what the reranker reads is kept in memory only: ${reason}`)
    return null
  }
}

/** One pair per job, because an abort takes effect between jobs. */
async function openPairScorer(source: ModelSource, options: LocalModelOptions): Promise<Scorer> {
  const script = workerModule('cross-encoder.worker', import.meta.url)
  const pool = await startWorkers<PairJob, number, null>(source, options, script)
  return {
    async score(query, passages, signal, tenant) {
      const jobs = passages.map(passage => ({ query, passage }))
      return (await pool.run(jobs, { signal, tenant })).results
    },
    expectedWaitMs: tenant => pool.expectedWaitMs(tenant),
    waiting: () => pool.waiting(),
    close: () => pool.close(),
  }
}

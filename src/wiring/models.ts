import { fileURLToPath } from 'node:url'
import type { SharedScores } from '../adapters/models/cached-reranker.ts'
import { type CrossEncoderOptions, createCrossEncoder } from '../adapters/models/cross-encoder.ts'
import { type Opened, openInBackground } from '../adapters/models/endpoint.ts'
import {
  createEndpointEmbedder,
  type EndpointEmbedderOptions,
} from '../adapters/models/endpoint-embedder/endpoint-embedder.ts'
import { readEnglishWords } from '../adapters/models/english-words.ts'
import { createToldLanguages } from '../adapters/models/fleet/endpoint-info.ts'
import type { FleetObserver } from '../adapters/models/fleet/fleet.ts'
import { createHttpReranker } from '../adapters/models/http-reranker.ts'
import { createLocalEmbedder } from '../adapters/models/local-embedder.ts'
import type { EmbeddingPrefixes } from '../adapters/models/prefixes.ts'
import type { Config } from '../config.ts'
import { messageOf } from '../core/errors.ts'
import type { Embedder, PassageObserver, PassageStore, Reranker } from '../core/ports.ts'
import type { Reporter } from '../observe/events.ts'
import { observeReranker } from '../observe/observed-reranker.ts'
import type { PipelinePorts } from '../pipeline/services.ts'
import { createTokenizer } from '../text/tokens.ts'
import { rerankEndpoint, rerankUrls } from './rerank/nodes.ts'

/**
 * The models of a process, as they are now: an embedding endpoint may appear later. A model that is not there is null;
 * `degraded`, `/readyz` and `doctor` show the reason.
 */
export interface Models {
  readonly embedder: Embedder | null
  readonly reranker: Reranker | null
  readonly unavailable: { embedder: string | null; reranker: string | null }
  /** Whether a word in lower case is spelled correctly; every word is when the words cannot be read. */
  readonly isWord: (word: string) => boolean
  /** What the models that are there do worse than they could, one sentence each. */
  readonly warnings: readonly string[]
  close(): Promise<void>
}

interface OpenModelsOptions {
  /** The models that the command uses; the others are not loaded and not reported as unavailable. */
  wanted?: { embedder: boolean; reranker: boolean }
  /** Longest time that the start waits for an endpoint, in milliseconds; default 30 s. After it, attempts go on. */
  endpointWaitMs?: number
  /** Worker threads of a local embedder; default is one per core, at most 4. */
  embedderWorkers?: number
  /** Worker threads of a local reranker; default is one per core, at most 4. */
  rerankerWorkers?: number
  /** Called when an endpoint appears after the start. */
  onOpened?: () => void
  /** Sees where a local reranker finds what it made of passages. */
  passageObserver?: PassageObserver
  /** Sees the calls of the endpoints of a reranker. */
  rerankObserver?: FleetObserver
  /** Scores that other processes know. */
  sharedScores?: SharedScores | undefined
}

export const SHIPPED_RERANKER = fileURLToPath(new URL('../../models/stowage-reranker', import.meta.url))
export const SHIPPED_EMBEDDER = fileURLToPath(new URL('../../models/all-MiniLM-L6-v2', import.meta.url))
const MIB = 1024 * 1024
const NOT_WANTED: Opened<never> = { value: null, reason: null, stop: () => {} }

export async function openModels(config: Config, options: OpenModelsOptions = {}): Promise<Models> {
  const { wanted = { embedder: true, reranker: true } } = options
  const warnings: string[] = []
  const onWarning = (warning: string) => warnings.push(warning)
  const [isWord, embedder, reranker] = await Promise.all([
    wanted.embedder && wanted.reranker ? readWords(onWarning) : () => true,
    wanted.embedder ? openEmbedder(config, options) : NOT_WANTED,
    wanted.reranker ? orUnavailable(openReranker(config, options, onWarning)) : NOT_WANTED,
  ])
  return {
    get embedder() {
      return embedder.value
    },
    reranker: reranker.value,
    isWord,
    get unavailable() {
      return { embedder: embedder.reason, reranker: reranker.reason }
    },
    warnings,
    close: async () => {
      embedder.stop()
      await Promise.all([embedder.value?.close(), reranker.value?.close()])
    },
  }
}

/** The ports of the pipeline. Every request reads the models anew. */
export function pipelinePorts(models: Models, store: PassageStore, reporter: Reporter): PipelinePorts {
  const reranker = models.reranker && observeReranker(models.reranker, reporter)
  return {
    store,
    tokenizer: createTokenizer,
    get embedder() {
      return models.embedder
    },
    reranker,
    isWord: models.isWord,
    get unavailable() {
      return models.unavailable
    },
  }
}

/** The words of the language, by the vocabulary of the shipped models, whichever models run. */
async function readWords(onWarning: (message: string) => void): Promise<Models['isWord']> {
  try {
    return await readEnglishWords(SHIPPED_RERANKER)
  } catch (error) {
    onWarning(`Misspelt words of questions are not corrected: ${messageOf(error)}`)
    return () => true
  }
}

async function openEmbedder(
  { settings }: Config,
  { endpointWaitMs: waitMs = 30_000, embedderWorkers: workers, onOpened }: OpenModelsOptions,
): Promise<Opened<Embedder>> {
  const api = settings.EMBEDDER
  if (api === 'none') return NOT_WANTED
  const prefixes = embeddingPrefixes(settings)
  if (api === 'local') {
    const model = embeddingModel(settings)
    return orUnavailable(createLocalEmbedder({ model, allowRemote: settings.MODELS_ALLOW_REMOTE, prefixes, workers }))
  }
  const [apiKey, baseUrl] =
    api === 'openai'
      ? [settings.OPENAI_API_KEY, settings.OPENAI_BASE_URL]
      : [settings.EMBEDDING_API_KEY, settings.EMBEDDING_BASE_URL]
  const endpoint: EndpointEmbedderOptions = {
    api,
    prefixes,
    apiKey: apiKey ?? '',
    ...(baseUrl ? { baseUrl } : {}),
    ...(settings.EMBEDDING_MODEL ? { model: settings.EMBEDDING_MODEL } : {}),
    ...(settings.EMBEDDING_DIMENSIONS ? { dimensions: settings.EMBEDDING_DIMENSIONS } : {}),
  }
  return openInBackground(signal => createEndpointEmbedder(endpoint, signal), waitMs, onOpened)
}

/** The folders or hub ids of the models that this process runs. */
export function localModels({ settings, plan }: Config): string[] {
  return [
    ...(settings.EMBEDDER === 'local' ? [embeddingModel(settings)] : []),
    ...(plan.rerank.method === 'crossencoder' ? [rerankModel(settings)] : []),
  ]
}

const embeddingModel = (settings: Config['settings']) => settings.EMBEDDING_MODEL ?? SHIPPED_EMBEDDER
const rerankModel = (settings: Config['settings']) => settings.RERANK_MODEL ?? SHIPPED_RERANKER

/** The prefixes of the settings; '' where none is set. */
export function embeddingPrefixes(settings: Config['settings']): EmbeddingPrefixes {
  return { query: settings.EMBEDDING_QUERY_PREFIX ?? '', passage: settings.EMBEDDING_PASSAGE_PREFIX ?? '' }
}

async function openReranker(
  config: Config,
  { rerankerWorkers: workers, sharedScores, rerankObserver: observer, passageObserver }: OpenModelsOptions,
  onWarning: (message: string) => void,
): Promise<Reranker | null> {
  const { settings, plan } = config
  const { method } = plan.rerank
  if (method === 'http') {
    const [urls, endpoint] = [rerankUrls(config), rerankEndpoint(config)]
    const told = createToldLanguages(urls, endpoint)
    await told.ask()
    return createHttpReranker({
      urls,
      ...endpoint,
      told,
      sharedScores,
      ...(observer && { observer }),
    })
  }
  if (method !== 'crossencoder') return null
  return createCrossEncoder({
    model: rerankModel(settings),
    allowRemote: settings.MODELS_ALLOW_REMOTE,
    ...passageMemory(settings),
    passageObserver,
    workers,
    sharedScores,
    onWarning,
  })
}

/** Where a local reranker keeps what it computed from passages. */
export function passageMemory(
  settings: Config['settings'],
): Pick<CrossEncoderOptions, 'passageBytes' | 'passageFolder'> {
  const { RERANK_MEMORY_MB: memory, RERANK_DISK_PATH: path, RERANK_DISK_MB: disk } = settings
  return {
    passageBytes: memory * MIB,
    passageFolder: path === undefined ? undefined : { path, maxBytes: disk * MIB },
  }
}

/** The pipeline skips the step of an unavailable model. */
async function orUnavailable<T>(opening: Promise<T | null>): Promise<Opened<T>> {
  try {
    return { ...NOT_WANTED, value: await opening }
  } catch (error) {
    return { ...NOT_WANTED, reason: messageOf(error) }
  }
}

import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { workerModule } from '../../core/work/worker-module.ts'
import { type LocalModelOptions, openLocalModel, startWorkers } from './local-model.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { type EmbeddingPrefixes, NO_PREFIXES, prefixMark } from './prefixes.ts'
import { rememberQueries } from './vectors.ts'
import type { WorkerPool } from './workers/pool.ts'

interface LocalEmbedderOptions extends LocalModelOptions {
  /** Used instead of the prefixes of the model's folder, and part of the version; a side that is '' keeps that of the folder. */
  prefixes?: EmbeddingPrefixes
}

/**
 * Embeds with a feature-extraction model of transformers.js in worker threads. Pooling, prefixes and window are set in
 * stowage.json in the model's folder; the defaults are mean, none and 512.
 * @throws ModelUnavailableError when the model is missing or cannot be loaded
 */
export async function createLocalEmbedder({
  prefixes = NO_PREFIXES,
  ...options
}: LocalEmbedderOptions): Promise<Embedder> {
  const script = workerModule('local-embedder.worker', import.meta.url)
  const { source, opened: pool } = await openLocalModel(options, 'EMBEDDING_MODEL', source =>
    startWorkers<string, Float32Array, number>(source, options, script),
  )
  const { settings } = source
  const dimensions = pool.details
  if (settings.dimensions !== undefined && settings.dimensions !== dimensions) {
    await pool.close()
    throw new ModelUnavailableError(
      `EMBEDDING_MODEL: ${options.model} returns ${dimensions} dimensions, but its stowage.json has ${settings.dimensions}.`,
    )
  }
  return createPooledEmbedder({
    modelId: source.id,
    pooling: settings.pooling + prefixMark(prefixes),
    languages: settings.languages,
    pool,
    queryPrefix: prefixes.query || settings.query_prefix,
    passagePrefix: prefixes.passage || settings.passage_prefix,
  })
}

interface PooledEmbedderOptions {
  modelId: string
  /** How one vector is made from the vectors of the tokens, and a mark of prefixes that are not the model's own; part of the version. */
  pooling: string
  languages?: readonly string[]
  /** Embeds texts; its details are the number of dimensions. */
  pool: WorkerPool<string, Float32Array, number>
  queryPrefix?: string
  passagePrefix?: string
}

/**
 * Embeds with a pool whose jobs are texts. One text per job, because batches are not faster on a CPU (padding costs time) and
 * an abort takes effect between jobs. One failed text rejects the call.
 */
export function createPooledEmbedder(options: PooledEmbedderOptions): Embedder {
  const { pool, queryPrefix = '', passagePrefix = '' } = options
  const dimensions = pool.details

  async function embed(
    prefix: string,
    texts: string[],
    signal?: AbortSignal,
    tenant?: string | null,
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    const prefixed = texts.map(text => prefix + text)
    const { results, lastError } = await pool.run(prefixed, { signal, tenant })
    signal?.throwIfAborted()
    return results.map((vector, at) => {
      if (vector === null) throw new StowageError('upstream_unavailable', `Text ${at} was not embedded: ${lastError}`)
      return vector
    })
  }

  return {
    version: `${options.modelId}:${dimensions}:${options.pooling}`,
    dimensions,
    tellsSidesApart: queryPrefix !== passagePrefix,
    languages: options.languages,
    embedQuery: rememberQueries((texts, signal, tenant) => embed(queryPrefix, texts, signal, tenant)),
    embedPassages: (texts, signal) => embed(passagePrefix, texts, signal),
    expectedWaitMs: tenant => pool.expectedWaitMs(tenant),
    close: () => pool.close(),
  }
}

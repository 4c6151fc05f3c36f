import { fileURLToPath } from 'node:url'
import { createCrossEncoder } from '../adapters/models/cross-encoder.ts'
import { createHttpReranker } from '../adapters/models/http-reranker.ts'
import { createLocalEmbedder } from '../adapters/models/local-embedder.ts'
import { createOpenAiEmbedder } from '../adapters/models/openai-embedder.ts'
import type { Config } from '../config.ts'
import type { Embedder, Reranker } from '../core/ports.ts'
import type { Plan } from '../pipeline/plan/plan.ts'
import { createTokenizer } from '../text/tokens.ts'

/** The models of a process. A model that cannot be loaded is null; `degraded`, `/readyz` and `doctor` show the reason. */
export interface Models {
  embedder: Embedder | null
  reranker: Reranker | null
  unavailable: { embedder: string | null; reranker: string | null }
  close(): Promise<void>
}

const SHIPPED_RERANKER = fileURLToPath(new URL('../../models/stowage-reranker', import.meta.url))
export const SHIPPED_EMBEDDER = fileURLToPath(new URL('../../models/stowage-embedder', import.meta.url))
const OPENAI_DEFAULT_MODEL = 'text-embedding-3-small'

/** @param wanted the models that the command uses; the others are not loaded and not reported as unavailable */
export async function openModels(config: Config, wanted = { embedder: true, reranker: true }): Promise<Models> {
  const [embedder, reranker] = await Promise.all([
    orUnavailable(wanted.embedder ? openEmbedder(config) : Promise.resolve(null)),
    orUnavailable(wanted.reranker ? openReranker(config, config.plan.rerank.method) : Promise.resolve(null)),
  ])
  return {
    embedder: embedder.value,
    reranker: reranker.value,
    unavailable: { embedder: embedder.reason, reranker: reranker.reason },
    close: async () => {
      await Promise.all([embedder.value?.close(), reranker.value?.close()])
    },
  }
}

/** Ports of the pipeline that depend on the models only. */
export function modelPorts({ embedder, reranker, unavailable }: Models) {
  return { tokenizer: createTokenizer, embedder, reranker, unavailable }
}

async function openEmbedder({ settings }: Config): Promise<Embedder | null> {
  switch (settings.EMBEDDER) {
    case 'none':
      return null
    case 'openai':
      return createOpenAiEmbedder({
        apiKey: settings.OPENAI_API_KEY ?? '',
        model: settings.EMBEDDING_MODEL ?? OPENAI_DEFAULT_MODEL,
        ...(settings.OPENAI_BASE_URL ? { baseUrl: settings.OPENAI_BASE_URL } : {}),
      })
    case 'local':
      return createLocalEmbedder({
        model: settings.EMBEDDING_MODEL ?? SHIPPED_EMBEDDER,
        allowRemote: settings.MODELS_ALLOW_REMOTE,
      })
  }
}

async function openReranker({ settings }: Config, method: Plan['rerank']['method']): Promise<Reranker | null> {
  if (method === 'http') {
    return createHttpReranker({
      url: settings.RERANK_URL ?? '',
      shape: settings.RERANK_SHAPE,
      ...(settings.RERANK_API_KEY ? { apiKey: settings.RERANK_API_KEY } : {}),
      ...(settings.RERANK_MODEL ? { model: settings.RERANK_MODEL } : {}),
    })
  }
  if (method !== 'crossencoder') return null
  return createCrossEncoder({
    model: settings.RERANK_MODEL ?? SHIPPED_RERANKER,
    allowRemote: settings.MODELS_ALLOW_REMOTE,
  })
}

/** The pipeline skips the step of an unavailable model. */
async function orUnavailable<T>(opening: Promise<T | null>): Promise<{ value: T | null; reason: string | null }> {
  try {
    return { value: await opening, reason: null }
  } catch (error) {
    return { value: null, reason: error instanceof Error ? error.message : String(error) }
  }
}

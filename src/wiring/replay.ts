import { createQdrantStore } from '../adapters/qdrant/store.ts'
import { startEmbeddedServer } from '../embedded/server.ts'
import type { ReplayEnvironment, ReplayFolder } from '../evaluation/replay/run.ts'
import { ingest } from '../ingest/ingest.ts'
import { createQdrantHttp } from '../qdrant/client.ts'
import { createTokenizer } from '../text/tokens.ts'
import { ingestInto } from './ingest.ts'
import type { Models } from './models.ts'

/** Environment of a replay: embedded engines on folders, the configured models, and a reference tokenizer. */
export function replayWorld(
  models: Models,
  referenceModel: string,
  openLive: ReplayEnvironment['openLive'],
): ReplayEnvironment {
  const { embedder, reranker, unavailable } = models
  return {
    ports: { tokenizer: createTokenizer, embedder, reranker, unavailable },
    referenceModel,
    openLive,
    openFolder: folder => openFolder(folder, models, referenceModel),
  }
}

async function openFolder(folder: string, { embedder }: Models, referenceModel: string): Promise<ReplayFolder> {
  const server = await startEmbeddedServer({ path: folder })
  const http = createQdrantHttp(server.url)
  const store = createQdrantStore({ http })
  const dependencies = ingestInto({ url: server.url, apiKey: null }, embedder, referenceModel)
  return {
    store,
    ingest: async (documents, { collection, chunkTokens, onProgress }) => {
      const summary = await ingest(documents, dependencies, { collection, chunkTokens }, progress =>
        onProgress(progress.documents, documents.length),
      )
      return summary.chunks
    },
    close: async () => {
      await http.close()
      await server.close()
    },
  }
}

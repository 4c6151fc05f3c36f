import { createQdrantAdmin } from '../adapters/qdrant/admin.ts'
import { createQdrantStore } from '../adapters/qdrant/store.ts'
import { startEmbeddedServer } from '../embedded/server.ts'
import type { ReplayEnvironment, ReplayFolder } from '../evaluation/replay/run.ts'
import { ingest } from '../ingest/ingest.ts'
import { createQdrantHttp } from '../qdrant/client.ts'
import { createTokenizer } from '../text/tokens.ts'
import type { Models } from './models.ts'

/** A replay's world: embedded folders, the process's own models, and the plan's tokenizer as the reference. */
export function replayWorld(models: Models, referenceModel: string): ReplayEnvironment {
  return {
    ports: {
      tokenizer: createTokenizer,
      embedder: models.embedder,
      reranker: models.reranker,
      unavailable: models.unavailable,
    },
    referenceModel,
    openFolder: folder => openFolder(folder, models, referenceModel),
  }
}

async function openFolder(folder: string, { embedder }: Models, referenceModel: string): Promise<ReplayFolder> {
  const server = await startEmbeddedServer({ path: folder })
  const target = { url: server.url, apiKey: null }
  const http = createQdrantHttp(server.url)
  const store = createQdrantStore({ http, apiKey: null, embedder })
  const tokenizer = createTokenizer(referenceModel)
  return {
    store,
    ingest: async (documents, { collection, chunkTokens, onProgress }) => {
      const dependencies = {
        target: createQdrantAdmin(target),
        embedder,
        countTokens: (text: string) => tokenizer.count(text),
      }
      let seen = 0
      const counted = (function* () {
        for (const document of documents) {
          yield { docId: document.docId, title: document.title, text: document.text }
          onProgress(++seen, documents.length)
        }
      })()
      const summary = await ingest(counted, dependencies, { collection, chunkTokens })
      return summary.chunks
    },
    close: async () => {
      await http.close()
      await server.close()
    },
  }
}

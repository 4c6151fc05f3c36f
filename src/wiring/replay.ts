import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createQdrantStore } from '../adapters/qdrant/store.ts'
import { startEmbeddedServer } from '../embedded/server.ts'
import { lockFolder } from '../embedded/storage/folder-lock.ts'
import type { ReplayEnvironment, ReplayFolder } from '../evaluation/replay/run.ts'
import { ingest } from '../ingest/ingest.ts'
import { createQdrantHttp } from '../qdrant/client.ts'
import { createTokenizer } from '../text/tokens.ts'
import { ingestInto } from './ingest.ts'
import type { Models } from './models.ts'
import { VERSION } from './version.ts'

/** Environment of a replay: embedded engines on folders, the configured models, and a reference tokenizer. */
export function replayWorld(
  models: Models,
  referenceModel: string,
  collections: Pick<ReplayEnvironment, 'openLive' | 'contexts' | 'contextualTwins'>,
): ReplayEnvironment {
  const { embedder, reranker, unavailable } = models
  return {
    ...collections,
    ports: { tokenizer: createTokenizer, embedder, reranker, unavailable },
    referenceModel,
    openFolder: folder => openFolder(folder, models, referenceModel),
    journals: { lock: lockFolder, stowage: () => `${VERSION} ${sourcesHash()}` },
  }
}

/** A hash of all files of this program: of `src`, or of `dist` where it is built. */
function sourcesHash(): string {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const hash = createHash('sha256')
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort())
    if (/\.[jt]s$/u.test(path)) hash.update(`${path}\n`).update(readFileSync(join(root, path)))
  return hash.digest('hex')
}

async function openFolder(folder: string, { embedder }: Models, referenceModel: string): Promise<ReplayFolder> {
  const server = await startEmbeddedServer({ path: folder })
  const http = createQdrantHttp(server.url)
  const store = createQdrantStore({ http })
  const dependencies = ingestInto({ url: server.url, apiKey: null }, embedder, referenceModel)
  return {
    store,
    ingest: async (documents, { collection, contexts, onProgress, ...chunks }) => {
      const summary = await ingest(documents, { ...dependencies, contexts }, { collection, ...chunks }, progress =>
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

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createQdrantStore } from '../adapters/qdrant/store.ts'
import { createOpened } from '../core/work/opened.ts'
import { startEmbeddedServer } from '../embedded/server.ts'
import type { ReplayEnvironment, ReplayFolder } from '../evaluation/replay/run.ts'
import { bytesOf } from '../ingest/document-groups.ts'
import { ingest } from '../ingest/ingest.ts'
import { createQdrantHttp } from '../qdrant/client.ts'
import { createTokenizer } from '../text/tokens.ts'
import { ingestInto } from './ingest.ts'
import type { Models } from './models.ts'
import { VERSION } from './version.ts'

/**
 * Environment of a replay: embedded engines on folders, the configured models, and a reference tokenizer.
 * @param modelFolders where local models lie: a model that is replaced under its name must not go on with the figures of the former one
 */
export function replayWorld(
  models: Models,
  referenceModel: string,
  collections: Pick<ReplayEnvironment, 'openLive' | 'liveServer' | 'contexts' | 'contextualTwins'>,
  modelFolders: readonly string[] = [],
): ReplayEnvironment {
  const { embedder, reranker, isWord, unavailable } = models
  return {
    ...collections,
    ports: { tokenizer: createTokenizer, embedder, reranker, isWord, unavailable },
    referenceModel,
    openFolder: folder => openFolder(folder, models, referenceModel),
    stowage: () => [VERSION, sourcesHash(), ...modelFolders.map(modelHash)].join(' '),
  }
}

/** A hash of all files of this program: of `src`, or of `dist` where it is built. */
const sourcesHash = () => filesHash(fileURLToPath(new URL('..', import.meta.url)), /\.[jt]s$/u)

/** A hash of a model's weights and settings; of nothing when the model is not in a folder. */
const modelHash = (folder: string) => (existsSync(folder) ? filesHash(folder, /\.(onnx|json)$/u) : '')

/** A hash of the names and contents of the files below a folder whose paths match. */
function filesHash(folder: string, matching: RegExp): string {
  const hash = createHash('sha256')
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort())
    if (matching.test(path)) hash.update(`${path}\n`).update(readFileSync(join(folder, path)))
  return hash.digest('hex')
}

async function openFolder(folder: string, { embedder }: Models, referenceModel: string): Promise<ReplayFolder> {
  const opened = createOpened()
  const server = opened.keep(await startEmbeddedServer({ path: folder }))
  const http = opened.keep(createQdrantHttp(server.url))
  const store = createQdrantStore({ http })
  const dependencies = ingestInto({ url: server.url, apiKey: null }, embedder, referenceModel)
  return {
    store,
    ingest: async (documents, { collection, contexts, onProgress, ...chunks }) => {
      const size = documents.reduce((sum, document) => sum + bytesOf(document), 0)
      const summary = await ingest(
        documents,
        { ...dependencies, contexts },
        { collection, ...chunks },
        ({ documents: done, bytes }) =>
          onProgress(done, documents.length, { done: bytes.written, total: size - bytes.unchanged }),
      )
      return summary.chunks
    },
    close: opened.close,
  }
}

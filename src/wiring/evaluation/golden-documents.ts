import { loadConfig } from '../../config.ts'
import { openTogether } from '../../core/work/opened.ts'
import { startEmbeddedServer } from '../../embedded/server.ts'
import { createCollectionReader } from '../../evaluation/golden-set/collection-reader.ts'
import type { LiveCollection } from '../../evaluation/golden-set/collection-set.ts'
import type { GoldenSet } from '../../evaluation/golden-set/golden-set.ts'
import { ingest } from '../../ingest/ingest.ts'
import { createQdrantHttp } from '../../qdrant/client.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { ingestInto } from '../ingest.ts'

const COLLECTION = 'documents'

/** Opens the documents of a golden set as a collection in memory, without dense vectors: enough for its filters. */
export function openGoldenDocuments({
  documents,
}: Pick<GoldenSet, 'documents'>): Promise<LiveCollection & { close(): Promise<void> }> {
  return openTogether(async opened => {
    const server = opened.keep(await startEmbeddedServer({}))
    const http = opened.keep(createQdrantHttp(server.url))
    const into = ingestInto({ url: server.url, apiKey: null }, null, loadConfig().plan.tokenizerModel)
    await ingest(documents, into, { collection: COLLECTION })
    return {
      ...createCollectionReader({ http, apiKey: null, collection: COLLECTION, mapping: undefined }),
      refusalOf: () => null,
      conditionOf: () => null,
      close: opened.close,
    }
  })
}

/** Counts with the reference tokenizer of replays. */
export function referenceTokens(): (text: string) => number {
  return createTokenizer(loadConfig().plan.tokenizerModel).count
}

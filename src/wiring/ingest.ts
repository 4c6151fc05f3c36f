import { createQdrantAdmin } from '../adapters/qdrant/admin.ts'
import type { Embedder } from '../core/ports.ts'
import type { IngestDependencies } from '../ingest/ingest.ts'
import { createTokenizer } from '../text/tokens.ts'

/** Dependencies for ingesting into a Qdrant server, with chunk sizes in tokens of `tokenizerModel`. */
export function ingestInto(
  server: { url: string; apiKey: string | null },
  embedder: Embedder | null,
  tokenizerModel: string,
): IngestDependencies {
  const tokenizer = createTokenizer(tokenizerModel)
  return { target: createQdrantAdmin(server), embedder, countTokens: text => tokenizer.count(text) }
}

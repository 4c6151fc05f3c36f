import { createLocalEmbedder } from '../adapters/models/local-embedder.ts'
import { findModel } from '../adapters/models/model-folder.ts'
import { prefixMark } from '../adapters/models/prefixes.ts'
import { createQdrantAdmin } from '../adapters/qdrant/admin.ts'
import type { Config } from '../config.ts'
import type { Embedder } from '../core/ports.ts'
import type { IngestDependencies } from '../ingest/ingest.ts'
import { createTokenizer } from '../text/tokens.ts'
import { embeddingPrefixes, openModels, SHIPPED_EMBEDDER } from './models.ts'

/** Dependencies for ingesting into a Qdrant server, with chunk sizes in tokens of `tokenizerModel`. */
export function ingestInto(
  server: { url: string; apiKey: string | null },
  embedder: Embedder | null,
  tokenizerModel: string,
): IngestDependencies {
  const tokenizer = createTokenizer(tokenizerModel)
  return {
    target: createQdrantAdmin(server),
    embedder,
    countTokens: text => tokenizer.count(text),
    tokenizer: tokenizer.encoding,
  }
}

/**
 * The configured embedder, or null with the reason, and whether a variable asks for it. A local model whose folder states its dimensions is loaded at the first text to
 * embed: a run that finds nothing new needs only its version.
 */
export async function openIngestEmbedder(
  config: Config,
): Promise<{ embedder: Embedder | null; unavailable: string | null; isSet: boolean }> {
  const { environment } = config
  const { EMBEDDER, EMBEDDING_MODEL: model = SHIPPED_EMBEDDER, MODELS_ALLOW_REMOTE: allowRemote } = config.settings
  if (EMBEDDER === 'none') return { embedder: null, unavailable: 'EMBEDDER=none', isSet: false }
  const isSet = environment.EMBEDDER !== undefined || environment.EMBEDDING_MODEL !== undefined
  if (EMBEDDER === 'local') {
    const found = await findModel({ model, variable: 'EMBEDDING_MODEL', allowRemote }).catch(() => null)
    const { dimensions, pooling } = found?.settings ?? {}
    if (found && dimensions !== undefined) {
      const prefixes = embeddingPrefixes(config.settings)
      const version = `${found.id}:${dimensions}:${pooling}${prefixMark(prefixes)}`
      const load = () => createLocalEmbedder({ model, allowRemote, prefixes })
      return { embedder: loadedOnDemand({ version, dimensions }, load), unavailable: null, isSet }
    }
  }
  const { embedder, unavailable } = await openModels(config, { wanted: { embedder: true, reranker: false } })
  return { embedder, unavailable: unavailable.embedder, isSet }
}

function loadedOnDemand(known: Pick<Embedder, 'version' | 'dimensions'>, load: () => Promise<Embedder>): Embedder {
  let loading: Promise<Embedder> | null = null
  const loaded = () => {
    loading ??= load()
    return loading
  }
  return {
    ...known,
    embedQuery: async (text, signal) => (await loaded()).embedQuery(text, signal),
    embedPassages: async (texts, signal) => (await loaded()).embedPassages(texts, signal),
    close: async () => {
      await (await loading?.catch(() => null))?.close()
    },
  }
}

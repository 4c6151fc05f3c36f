import { z } from 'zod'
import { baseUrl, secret, setting, text, urls, wholeNumber } from './fields.ts'

/** The settings of the reranker and the embedder. */
export const modelSettings = {
  RERANK_MODEL: setting(
    text.optional(),
    'Folder or hub id of the cross-encoder, or the model name for `RERANKER=http`. Unset: the model included in the package.',
  ),
  RERANK_URL: setting(
    urls.optional(),
    'Endpoints for `RERANKER=http`: one, or several of the same model, separated by commas.',
  ),
  RERANK_API_KEY: secret('Key of these endpoints.'),
  RERANK_SHAPE: setting(
    z.enum(['cohere', 'jina', 'tei']).default('cohere'),
    'Request format of these endpoints. `stowage rerank-server` takes `tei`.',
  ),
  RERANK_SERVER_API_KEY: secret('Key that `stowage rerank-server` asks for. Unset: everybody may ask.'),
  RERANK_MEMORY_MB: setting(
    wholeNumber(0, 1_000_000).default(200),
    'Memory for what the included reranker computed from passages, in MiB: it reads a passage once, not once per question. 0 is off.',
  ),
  RERANK_DISK_PATH: setting(
    text.optional(),
    'Folder on a local disk that keeps what the included reranker computed from passages, over restarts and for all processes of this machine. It holds their texts. Unset: they are kept in memory only.',
  ),
  RERANK_DISK_MB: setting(
    wholeNumber(1, 100_000_000).default(10_000),
    'Most MiB in that folder; what was not used for longest is deleted first.',
  ),
  EMBEDDER: setting(
    z.enum(['local', 'openai', 'voyage', 'cohere', 'none']).default('local'),
    'Embedder of queries and documents: a local model, an OpenAI-compatible endpoint, Voyage AI, Cohere, or none.',
  ),
  EMBEDDING_MODEL: setting(text.optional(), 'Folder, hub id or model name. Unset: the model included in the package.'),
  OPENAI_BASE_URL: setting(baseUrl.optional(), 'Base URL of the endpoint for `EMBEDDER=openai`.'),
  OPENAI_API_KEY: secret('Key of that endpoint. An endpoint at `OPENAI_BASE_URL` may have none.'),
  EMBEDDING_BASE_URL: setting(
    baseUrl.optional(),
    'Base URL of the endpoint for `EMBEDDER=voyage` and `EMBEDDER=cohere`; default is the provider.',
  ),
  EMBEDDING_API_KEY: secret('Key of that endpoint.'),
  EMBEDDING_DIMENSIONS: setting(
    wholeNumber(1, 65_536).optional(),
    'Length of the vectors that an endpoint is asked for, for models that can shorten them. Unset: the length of the model.',
  ),
  EMBEDDING_QUERY_PREFIX: setting(
    text.optional(),
    'Text before every query that is embedded, such as `query: ` for E5. Voyage AI and Cohere need none: they are told what a text is.',
  ),
  EMBEDDING_PASSAGE_PREFIX: setting(
    text.optional(),
    'Text before every passage that is embedded, such as `passage: `. Vectors of other prefixes cannot be compared: ingest again after a change.',
  ),
}

import OpenAI from 'openai'
import { type ErrorDetails, StowageError } from '../../../core/errors.ts'
import type { Embedder } from '../../../core/ports.ts'
import { longestPrefix } from '../../../core/prefix.ts'
import type { ErrorCode } from '../../../core/vocabulary.ts'
import { isObject } from '../../../qdrant/json.ts'
import { createTokenizer } from '../../../text/tokens.ts'
import { createOpenAiClient } from '../../openai-client.ts'
import { retryOnce } from '../../retry-once.ts'
import { busyCode } from '../endpoint.ts'
import { ModelUnavailableError } from '../model-folder.ts'
import { type EmbeddingPrefixes, NO_PREFIXES, prefixMark } from '../prefixes.ts'
import { rememberQueries, unitVector } from '../vectors.ts'
import { EMBEDDING_SHAPES, type EmbeddingApi, type EmbeddingSide } from './shapes.ts'

export interface EndpointEmbedderOptions {
  /** API of the endpoint: OpenAI (or any compatible endpoint), Voyage AI or Cohere. */
  api: EmbeddingApi
  /** Base URL of the endpoint; default is the provider. */
  baseUrl?: string
  apiKey: string
  /** Default: a model of the provider. */
  model?: string
  /** Requested length of the vectors, for models that can shorten them. */
  dimensions?: number
  /** For models behind an OpenAI-compatible endpoint that tell the sides of a search apart by words. */
  prefixes?: EmbeddingPrefixes
}

/** Longer texts are cut. Endpoints accept 8,191 tokens or more, or cut themselves; a text of at most 8,000 characters is not counted. */
const MAX_TOKENS = 8_000
/** Most characters in one request. Endpoints limit the tokens of a request to 120,000 or more, and a text has rarely more tokens than characters. */
const MAX_BATCH_CHARACTERS = 120_000
const KNOWN_DIMENSIONS: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
}

/** Second and third attempts for a batch of passages. The client waits as long as `retry-after` says. */
const PASSAGE_RETRIES = 2

/**
 * Embeddings of an HTTP endpoint, as unit vectors. Queries and passages are encoded as such: by the input type where the API has one, else
 * by prefixes. One request finds out the dimensions if they are not known. A query has a deadline, so it is sent at most twice, and never
 * after a `retry-after`.
 * @param signal ends that request
 * @throws ModelUnavailableError when the key is missing or that request fails
 */
export async function createEndpointEmbedder(
  options: EndpointEmbedderOptions,
  signal?: AbortSignal,
): Promise<Embedder> {
  const { api, prefixes = NO_PREFIXES } = options
  const shape = EMBEDDING_SHAPES[api]
  const model = options.model ?? shape.model
  if (options.apiKey === '' && options.baseUrl === undefined) throw new ModelUnavailableError(missingKey(api))
  // It sends to any path, with its retries and waits.
  const client = createOpenAiClient({ apiKey: options.apiKey, baseURL: options.baseUrl ?? shape.baseUrl })
  const tokenizer = createTokenizer(model)
  const cut = (text: string) =>
    text.length > MAX_TOKENS ? longestPrefix(text, prefix => tokenizer.count(prefix) <= MAX_TOKENS) : text || ' '

  async function embedBatch(
    texts: string[],
    side: EmbeddingSide,
    signal: AbortSignal | undefined,
    maxRetries: number,
  ): Promise<Float32Array[]> {
    const body = shape.body({ model, texts, side, dimensions: options.dimensions })
    try {
      const answer = await client.post(shape.path, { body, signal: signal ?? null, maxRetries })
      const vectors = shape.vectors.parse(answer)
      return texts.map((_, at) => {
        const vector = vectors[at]
        if (vector === undefined) throw new Error(`no vector for text ${at}`)
        return unitVector(Float32Array.from(vector))
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw asStowageError(error, model)
    }
  }

  async function embed(
    texts: string[],
    side: EmbeddingSide,
    signal: AbortSignal | undefined,
    maxRetries = 0,
  ): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    const asked = texts.map(text => cut(prefixes[side] + text))
    const vectors: Float32Array[] = []
    for (const batch of batchesOf(asked, shape.batch)) {
      signal?.throwIfAborted()
      const embedded = await embedBatch(batch, side, signal, maxRetries)
      const wrong = embedded.find(({ length }) => length !== dimensions)?.length
      if (wrong !== undefined)
        throw new StowageError('upstream_error', `${model} returned ${wrong} dimensions instead of ${dimensions}.`)
      vectors.push(...embedded)
    }
    return vectors
  }

  const known = options.dimensions ?? (api === 'openai' ? KNOWN_DIMENSIONS[model] : undefined)
  const dimensions = known ?? (await measureDimensions())

  async function measureDimensions(): Promise<number> {
    const [vector] = await embedBatch(['dimensions'], 'query', signal, 0).catch((error: StowageError): never => {
      throw new ModelUnavailableError(`EMBEDDING_MODEL: ${error.message} ${remedyOf(error, api)}`.trim(), error)
    })
    return vector?.length ?? 0
  }

  return {
    version: `${model}:${dimensions}:${shape.hasInputTypes ? 'input_type' : 'endpoint'}${prefixMark(prefixes)}`,
    dimensions,
    tellsSidesApart: shape.hasInputTypes || prefixes.query !== prefixes.passage,
    embedQuery: rememberQueries((texts, signal) => retryOnce(() => embed(texts, 'query', signal), signal)),
    embedPassages: (texts, signal) => embed(texts, 'passage', signal, PASSAGE_RETRIES),
    close: () => Promise.resolve(),
  }
}

const missingKey = (api: EmbeddingApi): string =>
  api === 'openai'
    ? 'OPENAI_API_KEY: not set. Set it, or set OPENAI_BASE_URL to an endpoint without keys.'
    : `EMBEDDING_API_KEY: not set. EMBEDDER=${api} needs a key.`

/** Cuts a list of texts into requests: at most `most` texts, and at most `MAX_BATCH_CHARACTERS` unless one text alone is longer. */
function batchesOf(texts: readonly string[], most: number): string[][] {
  const batches: string[][] = []
  let characters = 0
  for (const text of texts) {
    const last = batches.at(-1)
    characters += text.length
    if (last !== undefined && last.length < most && characters <= MAX_BATCH_CHARACTERS) last.push(text)
    else {
      batches.push([text])
      characters = text.length
    }
  }
  return batches
}

/** The error of a request to an embedding endpoint. It names the model, and never the key. */
function asStowageError(error: unknown, model: string): StowageError {
  const failure = (code: ErrorCode, problem: string, details?: ErrorDetails) =>
    new StowageError(code, `The embedding endpoint for ${model} ${problem}.`, {
      cause: error,
      ...(details && { details }),
    })
  if (error instanceof OpenAI.APIConnectionTimeoutError) return failure('upstream_timeout', 'did not answer in time')
  if (error instanceof OpenAI.APIConnectionError) return failure('upstream_unavailable', 'cannot be reached')
  if (error instanceof OpenAI.APIError && error.status !== undefined) {
    const { status } = error
    const retryAfter = error.headers?.get('retry-after') ?? null
    return failure(busyCode(status), `answered with status ${status}`, { status, retry_after: retryAfter })
  }
  return failure('upstream_error', 'returned an answer that cannot be used')
}

/** What to do about an error of `asStowageError`; '' when waiting is all that helps. */
function remedyOf({ details }: StowageError, api: EmbeddingApi): string {
  const status = isObject(details) && 'status' in details ? details.status : null
  const [key, url] =
    api === 'openai' ? ['OPENAI_API_KEY', 'OPENAI_BASE_URL'] : ['EMBEDDING_API_KEY', 'EMBEDDING_BASE_URL']
  if (status === 401 || status === 403) return `Check ${key}.`
  if (status === 404)
    return `Check the name of the model, and that ${url} is the address without the last part of the path.`
  if (status === 400 || status === 422)
    return `Check the name of the model, EMBEDDING_DIMENSIONS, and that the endpoint has the API of EMBEDDER=${api}.`
  return status === null ? `Check ${url}.` : ''
}

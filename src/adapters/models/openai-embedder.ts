import OpenAI from 'openai'
import { type ErrorDetails, StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { longestPrefix } from '../../core/prefix.ts'
import type { ErrorCode } from '../../core/vocabulary.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { retryOnce } from '../retry-once.ts'
import { busyCode } from './http-reranker.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { rememberQueries, unitVector } from './vectors.ts'

export interface OpenAiEmbedderOptions {
  /** Base URL of an OpenAI-compatible endpoint; default is OpenAI. */
  baseUrl?: string
  apiKey: string
  model: string
  /** Requested length of the vectors, for models that can shorten them. */
  dimensions?: number
}

const BATCH = 128
/** Longer texts are cut. Endpoints accept 8,191 tokens or more; a text of at most 8,000 characters is not counted. */
const MAX_TOKENS = 8_000
const KNOWN_DIMENSIONS: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
}

/** Second and third attempts for a batch of passages. The client waits as long as `retry-after` says. */
const PASSAGE_RETRIES = 2

/**
 * Embeddings of an OpenAI-compatible endpoint, as unit vectors. One request finds out the dimensions if they are not known.
 * A query has a deadline, so it is sent at most twice, and never after a `retry-after`.
 * @param signal ends that request
 * @throws ModelUnavailableError when the key is missing or that request fails
 */
export async function createOpenAiEmbedder(options: OpenAiEmbedderOptions, signal?: AbortSignal): Promise<Embedder> {
  if (options.apiKey === '' && options.baseUrl === undefined) {
    throw new ModelUnavailableError(
      'OPENAI_API_KEY: not set. Set it, or set OPENAI_BASE_URL to an endpoint without keys.',
    )
  }
  // Null, because the client takes missing options from the environment.
  const client = new OpenAI({
    apiKey: options.apiKey || 'none',
    baseURL: options.baseUrl ?? null,
    organization: null,
    project: null,
    logLevel: 'off',
  })
  const tokenizer = createTokenizer(options.model)

  async function embedBatch(
    texts: string[],
    signal: AbortSignal | undefined,
    maxRetries: number,
  ): Promise<Float32Array[]> {
    const input = texts.map(text =>
      text.length > MAX_TOKENS ? longestPrefix(text, prefix => tokenizer.count(prefix) <= MAX_TOKENS) : text || ' ',
    )
    // The client's default encoding is base64, which not every compatible endpoint supports.
    const size = options.dimensions === undefined ? {} : { dimensions: options.dimensions }
    try {
      const { data } = await client.embeddings.create(
        { model: options.model, input, encoding_format: 'float', ...size },
        { signal: signal ?? null, maxRetries },
      )
      const vectors = new Map(data.map(({ index, embedding }) => [index, unitVector(Float32Array.from(embedding))]))
      return texts.map((_, at) => {
        const vector = vectors.get(at)
        if (vector === undefined) throw new Error(`no vector for text ${at}`)
        return vector
      })
    } catch (error) {
      signal?.throwIfAborted()
      throw asStowageError(error, options.model)
    }
  }

  async function embed(texts: string[], signal: AbortSignal | undefined, maxRetries = 0): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let start = 0; start < texts.length; start += BATCH) {
      signal?.throwIfAborted()
      for (const vector of await embedBatch(texts.slice(start, start + BATCH), signal, maxRetries)) {
        if (vector.length !== dimensions) {
          throw new StowageError(
            'upstream_error',
            `${options.model} returned ${vector.length} dimensions instead of ${dimensions}.`,
          )
        }
        vectors.push(vector)
      }
    }
    return vectors
  }

  const known = options.dimensions ?? KNOWN_DIMENSIONS[options.model]
  const dimensions = known ?? (await measureDimensions())

  async function measureDimensions(): Promise<number> {
    const [vector] = await embedBatch(['dimensions'], signal, 0).catch((error: Error): never => {
      throw new ModelUnavailableError(`EMBEDDING_MODEL: ${error.message}`, error)
    })
    return vector?.length ?? 0
  }

  return {
    version: `${options.model}:${dimensions}:endpoint`,
    dimensions,
    embedQuery: rememberQueries((texts, signal) => retryOnce(() => embed(texts, signal), signal)),
    embedPassages: (texts, signal) => embed(texts, signal, PASSAGE_RETRIES),
    close: () => Promise.resolve(),
  }
}

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

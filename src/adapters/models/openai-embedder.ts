import OpenAI from 'openai'
import { StowageError } from '../../core/errors.ts'
import type { Embedder } from '../../core/ports.ts'
import { longestPrefix } from '../../core/prefix.ts'
import { createTokenizer } from '../../text/tokens.ts'
import { ModelUnavailableError } from './model-folder.ts'
import { rememberQueries, unitVector } from './vectors.ts'

export interface OpenAiEmbedderOptions {
  /** Any OpenAI-compatible endpoint; OpenAI's own when absent. */
  baseUrl?: string
  apiKey: string
  model: string
  /** Shortens the vectors of models that can; asked of the endpoint. */
  dimensions?: number
}

const BATCH = 128
/** The endpoint's limit of tokens per text is 8,191 or more; the characters below can never reach it. */
const MAX_TOKENS = 8_000
const KNOWN_DIMENSIONS: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
}

/**
 * Embeddings of any OpenAI-compatible endpoint, as unit vectors. A model whose dimension is neither given nor known is
 * asked once for it. Rejects with ModelUnavailableError when the key is missing or that first question fails.
 */
export async function createOpenAiEmbedder(options: OpenAiEmbedderOptions): Promise<Embedder> {
  if (options.apiKey === '' && options.baseUrl === undefined) {
    throw new ModelUnavailableError(
      'OPENAI_API_KEY: not set. Set it, or set OPENAI_BASE_URL to an endpoint without keys.',
    )
  }
  // Null, not absent: what is absent the client takes from the environment.
  const client = new OpenAI({
    apiKey: options.apiKey || 'none',
    baseURL: options.baseUrl ?? null,
    organization: null,
    project: null,
    logLevel: 'off',
  })
  const tokenizer = createTokenizer(options.model)

  async function embedBatch(texts: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const input = texts.map(text =>
      text.length > MAX_TOKENS ? longestPrefix(text, prefix => tokenizer.count(prefix) <= MAX_TOKENS) : text || ' ',
    )
    // Numbers, asked for by name: the client's own default is base64, which not every compatible endpoint knows.
    const wanted = options.dimensions === undefined ? {} : { dimensions: options.dimensions }
    try {
      const { data } = await client.embeddings.create(
        { model: options.model, input, encoding_format: 'float', ...wanted },
        { signal: signal ?? null },
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

  async function embed(texts: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const vectors: Float32Array[] = []
    for (let start = 0; start < texts.length; start += BATCH) {
      signal?.throwIfAborted()
      for (const vector of await embedBatch(texts.slice(start, start + BATCH), signal)) {
        if (vector.length !== dimensions) {
          throw new StowageError(
            'upstream_error',
            `${options.model} gave ${vector.length} dimensions in place of ${dimensions}.`,
          )
        }
        vectors.push(vector)
      }
    }
    return vectors
  }

  const known = options.dimensions ?? KNOWN_DIMENSIONS[options.model]
  const dimensions = known ?? (await askDimensions())

  async function askDimensions(): Promise<number> {
    const [vector] = await embedBatch(['dimensions'], undefined).catch((error: Error): never => {
      throw new ModelUnavailableError(`EMBEDDING_MODEL: ${error.message}`, error)
    })
    return vector?.length ?? 0
  }

  return {
    version: `${options.model}:${dimensions}:endpoint`,
    dimensions,
    embedQuery: rememberQueries(embed),
    embedPassages: (texts, signal) => embed(texts, signal),
    close: () => Promise.resolve(),
  }
}

function asStowageError(error: unknown, model: string): StowageError {
  if (error instanceof OpenAI.APIConnectionTimeoutError) {
    return new StowageError('upstream_timeout', `The embedding endpoint for ${model} did not answer in time.`, {
      cause: error,
    })
  }
  if (error instanceof OpenAI.APIConnectionError) {
    return new StowageError('upstream_unavailable', `The embedding endpoint for ${model} cannot be reached.`, {
      cause: error,
    })
  }
  if (error instanceof OpenAI.APIError && error.status !== undefined) {
    const code = error.status === 429 || error.status === 503 ? 'upstream_unavailable' : 'upstream_error'
    return new StowageError(code, `The embedding endpoint answered ${error.status} for ${model}.`, {
      cause: error,
      details: { status: error.status },
    })
  }
  return new StowageError('upstream_error', `The embedding endpoint gave an answer for ${model} that cannot be used.`, {
    cause: error,
  })
}

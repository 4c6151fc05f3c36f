import { z } from 'zod'
import { StowageError } from '../../core/errors.ts'
import type { Reranker } from '../../core/ports.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import type { ErrorCode } from '../../core/vocabulary.ts'
import { createCachedReranker, type SharedScores } from './cached-reranker.ts'
import { sigmoid } from './cross-encoder.ts'

export interface HttpRerankerOptions {
  /** URL of the endpoint, e.g. `http://127.0.0.1:8080/rerank`. */
  url: string
  /** API of the endpoint: Cohere, Jina (the same on this route) or text-embeddings-inference. */
  shape: 'cohere' | 'jina' | 'tei'
  apiKey?: string
  /** Model name in requests and in cache keys. */
  model?: string
  /** Passages per request; default 32 for TEI (its own default limit), else 1,000. */
  batchSize?: number
  /** TEI only: request logits and apply the sigmoid here, for models whose scores are not in [0,1]. */
  rawScores?: boolean
  cacheEntries?: number
  /** Default: none. */
  sharedScores?: SharedScores | undefined
}

const TeiAnswer = z.array(z.object({ index: z.int().nonnegative(), score: z.number() }))
const CohereAnswer = z
  .object({ results: z.array(z.object({ index: z.int().nonnegative(), relevance_score: z.number() })) })
  .transform(({ results }) => results.map(({ index, relevance_score: score }) => ({ index, score })))

/**
 * A reranker behind HTTP. Batches are sent one after the other in fused order, so that an abort loses the last passages only.
 * Scores are clipped to [0,1]. If a batch after the first fails, the rest has no scores.
 * @throws StowageError when the first request fails
 */
export function createHttpReranker(options: HttpRerankerOptions): Reranker {
  const size = options.batchSize ?? (options.shape === 'tei' ? 32 : 1_000)
  return createCachedReranker({
    model: options.model ?? redactUrls(options.url),
    cacheEntries: options.cacheEntries,
    sharedScores: options.sharedScores,
    async score(query, passages, signal) {
      const scores: (number | null)[] = passages.map(() => null)
      for (let start = 0; start < passages.length && !signal.aborted; start += size) {
        try {
          const batch = await scoreBatch(options, query, passages.slice(start, start + size), signal)
          for (const [at, score] of batch.entries()) scores[start + at] = score
        } catch (error) {
          if (signal.aborted || start > 0) break
          throw error
        }
      }
      return scores
    },
    close: () => Promise.resolve(),
  })
}

async function scoreBatch(
  options: HttpRerankerOptions,
  query: string,
  passages: string[],
  signal: AbortSignal,
): Promise<number[]> {
  const answer = await post(options, requestBody(options, query, passages), signal)
  const { success, data: results } = (options.shape === 'tei' ? TeiAnswer : CohereAnswer).safeParse(answer)
  if (!success) throw badAnswer(`it has no ${options.shape} scores`)
  const scores = new Map(results.map(({ index, score }) => [index, score]))
  if (results.length !== passages.length || scores.size !== passages.length) {
    throw badAnswer(`${results.length} scores for ${passages.length} passages`)
  }
  return passages.map((_, at) => {
    const score = scores.get(at)
    if (score === undefined) throw badAnswer(`no score for passage ${at}`)
    return Math.min(1, Math.max(0, options.rawScores ? sigmoid(score) : score))
  })
}

function requestBody({ shape, model, rawScores }: HttpRerankerOptions, query: string, passages: string[]): unknown {
  return shape === 'tei'
    ? { query, texts: passages, raw_scores: rawScores ?? false, truncate: true }
    : { model, query, documents: passages, top_n: passages.length, return_documents: false }
}

async function post({ url, apiKey }: HttpRerankerOptions, body: unknown, signal: AbortSignal): Promise<unknown> {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`
  let response: Response
  try {
    response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
  } catch (cause) {
    throw new StowageError('upstream_unavailable', 'The reranker (RERANK_URL) cannot be reached.', { cause })
  }
  if (response.ok) {
    return response.json().catch(cause => {
      throw new StowageError('upstream_error', 'The reranker (RERANK_URL) did not answer with JSON.', { cause })
    })
  }
  await response.body?.cancel()
  const { status } = response
  const reason = status === 429 ? ': too many requests' : ''
  throw new StowageError(busyCode(status), `The reranker (RERANK_URL) answered with status ${status}${reason}.`, {
    details: { status, retry_after: response.headers.get('retry-after') },
  })
}

/** The error code for the status of a model endpoint. */
export function busyCode(status: number): ErrorCode {
  return status === 429 || status === 503 ? 'upstream_unavailable' : 'upstream_error'
}

const badAnswer = (fault: string): StowageError =>
  new StowageError('upstream_error', `The reranker (RERANK_URL) returned an answer that cannot be used: ${fault}.`)

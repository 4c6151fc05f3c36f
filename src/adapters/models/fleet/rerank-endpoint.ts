import { z } from 'zod'
import type { NodeOutcome } from '../../../observe/metrics/rerank-nodes.ts'
import { readWhole } from '../../read-at-most.ts'
import { busyCode, isBusy } from '../endpoint.ts'
import { NodeFailure } from './failure.ts'

export interface RerankEndpoint {
  /** API of the endpoint: Cohere, Jina (the same on this route) or text-embeddings-inference. */
  shape: 'cohere' | 'jina' | 'tei'
  apiKey?: string
  /** Model name in requests. */
  model?: string
}

const TeiAnswer = z.array(z.object({ index: z.int().nonnegative(), score: z.number() }))
const CohereAnswer = z
  .object({ results: z.array(z.object({ index: z.int().nonnegative(), relevance_score: z.number() })) })
  .transform(({ results }) => results.map(({ index, relevance_score: score }) => ({ index, score })))

/** More than the scores of a request need, also when an endpoint sends the passages back. */
const MOST_ANSWER_BYTES = 8 * 1024 * 1024

/**
 * The score of each passage, clipped to [0,1].
 * @throws NodeFailure
 */
export async function askEndpoint(
  url: string,
  endpoint: RerankEndpoint,
  query: string,
  passages: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const answer = await post(url, endpoint, requestBody(endpoint, query, passages), signal)
  const { success, data: results } = (endpoint.shape === 'tei' ? TeiAnswer : CohereAnswer).safeParse(answer)
  if (!success) throw badAnswer(`it has no ${endpoint.shape} scores`)
  const scores = new Map(results.map(({ index, score }) => [index, score]))
  if (results.length !== passages.length || scores.size !== passages.length)
    throw badAnswer(`${results.length} scores for ${passages.length} passages`)
  return passages.map((_, at) => {
    const score = scores.get(at)
    if (score === undefined) throw badAnswer(`no score for passage ${at}`)
    return Math.min(1, Math.max(0, score))
  })
}

function requestBody({ shape, model }: RerankEndpoint, query: string, passages: readonly string[]): unknown {
  return shape === 'tei'
    ? { query, texts: passages, raw_scores: false, truncate: true }
    : { model, query, documents: passages, top_n: passages.length, return_documents: false }
}

async function post(url: string, { apiKey }: RerankEndpoint, body: unknown, signal: AbortSignal): Promise<unknown> {
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  if (apiKey !== undefined) headers.authorization = `Bearer ${apiKey}`
  let response: Response
  try {
    response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
  } catch (cause) {
    throw new NodeFailure('broken', 'upstream_unavailable', 'The reranker (RERANK_URL) cannot be reached.', { cause })
  }
  if (!response.ok) {
    await response.body?.cancel()
    throw statusFailure(response)
  }
  try {
    const tooLong = (fault: string) => badAnswer(`it ${fault}`)
    const text = response.body === null ? '' : await readWhole(response.body, MOST_ANSWER_BYTES, tooLong)
    return JSON.parse(String(text))
  } catch (cause) {
    if (cause instanceof NodeFailure) throw cause
    const message = 'The reranker (RERANK_URL) did not answer with JSON.'
    throw new NodeFailure('broken', 'upstream_error', message, { cause })
  }
}

/** Statuses by which an endpoint refuses a request, which is no fault of the endpoint. */
const REFUSALS = [400, 413, 422]

function statusFailure({ status, headers }: Response): NodeFailure {
  const retryAfter = headers.get('retry-after')
  const reason = status === 429 ? ': too many requests' : ''
  const message = `The reranker (RERANK_URL) answered with status ${status}${reason}.`
  return new NodeFailure(outcomeOf(status), busyCode(status), message, {
    details: { status, retry_after: retryAfter },
    retryAfterMs: Number(retryAfter) * 1_000 || 0,
  })
}

function outcomeOf(status: number): NodeOutcome {
  if (isBusy(status)) return 'busy'
  if (REFUSALS.includes(status)) return 'refused'
  // text-embeddings-inference answers 424 when the model fails.
  return status >= 500 || status === 424 ? 'failed' : 'broken'
}

const badAnswer = (fault: string): NodeFailure =>
  new NodeFailure(
    'broken',
    'upstream_error',
    `The reranker (RERANK_URL) returned an answer that cannot be used: ${fault}.`,
  )

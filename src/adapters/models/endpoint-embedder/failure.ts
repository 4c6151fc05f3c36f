import OpenAI from 'openai'
import { type ErrorDetails, StowageError } from '../../../core/errors.ts'
import type { ErrorCode } from '../../../core/vocabulary.ts'
import { isObject } from '../../../qdrant/json.ts'
import { busyCode } from '../endpoint.ts'
import type { EmbeddingApi } from './shapes.ts'

/** The error of a request to an embedding endpoint. It names the model, and never the key. */
export function asStowageError(error: unknown, model: string): StowageError {
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
export function remedyOf({ details }: StowageError, api: EmbeddingApi): string {
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

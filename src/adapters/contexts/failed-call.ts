import { FailedCallError } from '../../contexts/model-writer.ts'
import { badRequest, type StowageError } from '../../core/errors.ts'

/** What both SDKs put on their errors. */
interface SdkError {
  status?: number
  code?: string | null
  type?: string | null
  message?: string
  name?: string
}

const TIMEOUT_NAMES = /Timeout/u
const NO_MONEY = /insufficient_quota|billing/iu
/** Of Anthropic, which has no code for it. Other messages name the page for payments also when they only ask to wait. */
const NO_CREDIT = /credit balance is too low/iu

/**
 * The failure of a call of an SDK: a `FailedCallError` when another call can succeed, else a StowageError that names the variable to
 * change. Their messages hold the status and nothing of the answer, because endpoints repeat prompts in their messages.
 */
export function describeFailure(error: unknown, model: string): FailedCallError | StowageError {
  const { status, code = null, type = null, message = '', name = '' } = error as SdkError
  if (status === 401 || status === 403) return badRequest(`CONTEXT_API_KEY: the endpoint refused the key (${status})`)
  if (status === 404 || code === 'model_not_found')
    return badRequest(`CONTEXT_MODEL: the endpoint does not know ${model}, or CONTEXT_BASE_URL is wrong (${status})`)
  if (status === 402 || (status !== undefined && (NO_MONEY.test(`${code} ${type}`) || NO_CREDIT.test(message))))
    return badRequest(`CONTEXT_API_KEY: the endpoint says that the account has no credit left (${status})`)
  if (status === 429) return new FailedCallError('rate_limited', 'the endpoint asked to wait (429)')
  if (status === 408 || TIMEOUT_NAMES.test(`${name} ${error?.constructor?.name}`))
    return new FailedCallError('timeout', 'the endpoint did not answer in time')
  if (status !== undefined && status >= 400 && status < 500)
    return new FailedCallError('rejected', `the endpoint refused the request (${status})`)
  if (error instanceof SyntaxError) return new FailedCallError('unreadable', 'the answer was no JSON')
  return new FailedCallError('endpoint_failed', `the endpoint failed (${status ?? 'no connection'})`)
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { badRequest, StowageError } from '../core/errors.ts'
import { redactUrls } from '../core/redact-urls.ts'
import type { Reporter } from '../observe/events.ts'
import { printJson } from '../qdrant/json.ts'
import { sendJson, sendQdrantError, sendText } from './body/send-json.ts'
import { endpointOf, failedBy, requestIdOf } from './observe-requests.ts'
import type { StepRequest, StepResponse } from './step.ts'

type AnswerError = (error: unknown, request: StepRequest, response: StepResponse) => void

/** Converts every error to a response: stowage's own shape under `/v1/`, Qdrant's envelope on other paths. */
export function errorHandler(reporter: Reporter): AnswerError {
  return function handleError(error, request, response) {
    if (response.destroyed) return
    const known = asStowageError(error)
    const requestId = requestIdOf(response)
    if (known === null) reporter.requestFailed({ error, requestId })
    else if (known.status >= 500) failedBy(response, known)
    if (response.headersSent) response.destroy()
    else sendError(request, response, known ?? internalError(requestId))
  }
}

/** Also in the form that names the host: `GET http://host/v1/context`. */
const OWN_PATH = /^(?:https?:\/\/[^/?#]*)?\/v1\//i

/** Sends an error in the shape of the path: stowage's own, or Qdrant's envelope. Qdrant answers 401 as plain text. */
export function sendError(request: StepRequest, response: StepResponse, error: StowageError): void {
  const { code, status } = error
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  if (OWN_PATH.test(request.url) || ['mcp', 'relay'].includes(endpointOf(response))) {
    sendOwnError(request, response, error)
    return
  }
  const message = redactUrls(error.message)
  if (code === 'unauthorized') sendText(request, response, status, message)
  else sendQdrantError(request, response, status, message)
}

/** Sends an error in stowage's own shape: `{"error":{"code":…,"message":…,"details":…}}`. */
export function sendOwnError(request: IncomingMessage, response: ServerResponse, error: StowageError): void {
  const { code, status, message, details } = error
  sendJson(request, response, status, printJson({ error: { code, message: redactUrls(message), details } }))
}

function asStowageError(error: unknown): StowageError | null {
  if (error instanceof StowageError) return error
  // Express sets `status` on faults of the client, for example a path that cannot be decoded.
  const isBadRequest = error instanceof Error && 'status' in error && error.status === 400
  return isBadRequest ? badRequest(error.message, { cause: error }) : null
}

/** What a client sees of an error that nobody expected. */
export function internalError(requestId: string): StowageError {
  return new StowageError('internal', `Internal error; see the log entry of request ${requestId}`)
}

/** Seconds, from `details.retry_after` of an error that asks the client to wait. */
function retryAfterOf({ code, details }: StowageError): number | null {
  if (!['too_many_requests', 'overloaded'].includes(code) || typeof details !== 'object' || details === null)
    return null
  const seconds = 'retry_after' in details ? Number(details.retry_after) : Number.NaN
  return seconds >= 0 ? Math.ceil(seconds) : null
}

import type { ErrorRequestHandler, Request, Response } from 'express'
import { StowageError } from '../core/errors.ts'
import type { Reporter } from '../observe/events.ts'
import { printJson } from '../qdrant/json.ts'
import { sendJson, sendQdrantError } from './body/send-json.ts'
import { requestIdOf } from './observe-requests.ts'

/** The one place where an error becomes a response: our own shape under `/v1/`, Qdrant's envelope elsewhere. */
export function errorHandler(reporter: Reporter): ErrorRequestHandler {
  return function handleError(error: unknown, request, response, _next) {
    if (response.destroyed) return
    const known = asStowageError(error)
    const requestId = requestIdOf(response)
    if (known === null) reporter.requestFailed({ error, requestId })
    if (response.headersSent) response.destroy()
    else sendError(request, response, known ?? internalError(requestId))
  }
}

/** Sends an error in the shape that the asked path has. */
export function sendError(request: Request, response: Response, error: StowageError): void {
  const retryAfter = retryAfterOf(error)
  if (retryAfter !== null) response.setHeader('retry-after', retryAfter)
  if (!request.path.startsWith('/v1/')) {
    sendQdrantError(request, response, error.status, error.message)
    return
  }
  const { code, message, details } = error
  sendJson(request, response, error.status, printJson({ error: { code, message, details } }))
}

function asStowageError(error: unknown): StowageError | null {
  if (error instanceof StowageError) return error
  // Express marks what a client did wrong (a path that cannot be decoded, say) with a status of its own.
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  return status === 400 ? new StowageError('bad_request', (error as Error).message, { cause: error }) : null
}

function internalError(requestId: string): StowageError {
  return new StowageError('internal', `Internal error; the log has it under request ${requestId}`)
}

/** Seconds, from `details.retry_after` of a 429. */
function retryAfterOf({ code, details }: StowageError): number | null {
  if (code !== 'too_many_requests' || typeof details !== 'object' || details === null) return null
  const seconds = 'retry_after' in details ? Number(details.retry_after) : Number.NaN
  return seconds >= 0 ? Math.ceil(seconds) : null
}

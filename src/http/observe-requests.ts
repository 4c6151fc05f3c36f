import { randomUUID } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import type { Endpoint, Outcome, Reporter } from '../observe/events.ts'

/** Gives each request an id for the log and reports its end. The endpoint is `passthrough` unless `atEndpoint` sets another. */
export function observeRequests(reporter: Reporter): RequestHandler {
  return function observe(_request, response, next) {
    const started = performance.now()
    response.locals.requestId = randomUUID()
    response.once('close', () => {
      reporter.requestFinished({
        endpoint: response.locals.endpoint ?? 'passthrough',
        outcome: outcomeOf(response),
        status: response.statusCode,
        seconds: (performance.now() - started) / 1_000,
        requestId: requestIdOf(response),
      })
    })
    next()
  }
}

/** Sets the endpoint under which a request is reported. */
export function atEndpoint(endpoint: Endpoint): RequestHandler {
  return function enter(_request, response, next) {
    response.locals.endpoint = endpoint
    next()
  }
}

export function requestIdOf(response: Response): string {
  return String(response.locals.requestId ?? '')
}

function outcomeOf(response: Response): Outcome {
  if (!response.writableFinished) return 'aborted'
  if (response.statusCode < 400) return 'ok'
  if (response.statusCode < 500) return 'client_error'
  return response.statusCode === 500 ? 'internal_error' : 'upstream_error'
}

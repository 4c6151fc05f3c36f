import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Response } from 'express'

/** A request of a client as the steps see it. Those of Express are of this shape too. */
export interface StepRequest extends IncomingMessage {
  method: string
  url: string
  /** The raw request target, as it goes to Qdrant. */
  originalUrl: string
}

export interface StepResponse extends ServerResponse {
  /** What the steps of one request tell each other. */
  locals: Response['locals']
}

export type Next = (error?: unknown) => void

/** A step answers the request, or calls `next` for the step behind it. It can stand in a route of Express. */
export type Step = (request: StepRequest, response: StepResponse, next: Next) => unknown

/** Joins steps to one. What a step throws, or rejects with, goes to `next`, as in Express. */
export function inOrder(...steps: readonly Step[]): Step {
  return (request, response, next) => {
    const enter = (at: number) => {
      const step = steps[at]
      if (step === undefined) {
        next()
        return
      }
      try {
        const result = step(request, response, error => (error ? next(error) : enter(at + 1)))
        if (result instanceof Promise) result.catch(next)
      } catch (error) {
        next(error)
      }
    }
    enter(0)
  }
}

/** Gives requests to a step without Express. `onError` gets what the step throws. */
export function asListener(
  step: Step,
  onError: (error: unknown, request: StepRequest, response: StepResponse) => void,
): RequestListener {
  return (incoming, outgoing) => {
    const { method = 'GET', url = '/' } = incoming
    // stowage can be a part of an application of Express, which has set these.
    const { originalUrl = url } = incoming as Partial<StepRequest>
    const { locals = {} } = outgoing as Partial<StepResponse>
    const request = Object.assign(incoming, { method, url, originalUrl })
    const response = Object.assign(outgoing, { locals })
    step(request, response, error => onError(error, request, response))
  }
}

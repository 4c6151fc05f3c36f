import type { IncomingMessage } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import type { Step, StepRequest, StepResponse } from '../step.ts'
import { awaitsContinue } from './expect-continue.ts'

type SendError = (request: StepRequest, response: StepResponse, error: StowageError) => void

/** Whether the head of a request announces a body. */
export function announcesBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
}

/**
 * Ends an upload whose client sends nothing for `silenceMs`, with 408 when no answer has begun. An upload that moves has no time
 * limit, and one that waits because stowage or Qdrant does not read it is not silent.
 */
export function limitUploadSilence(silenceMs: number, sendError: SendError): Step {
  return function watchUpload(request, response, next) {
    if (announcesBody(request)) startWatch(request, silenceMs, () => endUpload(request, response, silenceMs, sendError))
    next()
  }
}

/** In how many parts a silence is measured. A pause of the process, however long, counts as one of them. */
const SILENCE_PARTS = 8

function startWatch(request: IncomingMessage, silenceMs: number, onSilent: () => void): void {
  const { socket } = request
  let seen = socket.bytesRead
  let silentParts = 0
  // After a pause of the process, timers run before sockets are read: what has arrived is read before the verdict.
  const timer = setInterval(() => setImmediate(judge), silenceMs / SILENCE_PARTS)
  const judge = () => {
    if (request.complete) clearInterval(timer)
    else if (socket.bytesRead !== seen || isHeldBack(request)) {
      seen = socket.bytesRead
      silentParts = 0
    } else if (++silentParts >= SILENCE_PARTS) {
      clearInterval(timer)
      onSilent()
    }
  }
  timer.unref()
  request.once('close', () => clearInterval(timer))
}

/** Whether the client cannot send: bytes wait to be read here, or it was not yet told to continue. */
function isHeldBack(request: IncomingMessage): boolean {
  return request.readableLength > 0 || awaitsContinue(request)
}

function endUpload(request: StepRequest, response: StepResponse, silenceMs: number, sendError: SendError): void {
  if (response.headersSent) {
    request.destroy()
    return
  }
  response.setHeader('connection', 'close')
  // After an answer, Node does not tell the request that its connection has ended.
  response.once('finish', () => request.destroy())
  const message = `The client sent nothing for ${silenceMs / 1_000} s in the middle of its body`
  sendError(request, response, new StowageError('request_timeout', message))
}

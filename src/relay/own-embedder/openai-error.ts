import type { IncomingMessage, ServerResponse } from 'node:http'
import { StowageError } from '../../core/errors.ts'
import { redactUrls } from '../../core/redact-urls.ts'
import { sendJson } from '../../http/body/send-json.ts'

/** An error that is answered in the shape of OpenAI. */
export class OpenAiError extends Error {
  readonly status: number
  /** The field that is wrong. */
  readonly param: string | null
  readonly code: string | null

  constructor(status: number, message: string, more: { param?: string; code?: string; cause?: unknown } = {}) {
    super(message, { cause: more.cause })
    this.status = status
    this.param = more.param ?? null
    this.code = more.code ?? null
  }
}

/** The error that a failure of the embedder stands for; null for one that nobody expects. */
export function asOpenAiError(error: unknown): OpenAiError | null {
  if (error instanceof OpenAiError) return error
  if (!(error instanceof StowageError)) return null
  return new OpenAiError(error.status, error.message, { code: error.code, cause: error })
}

/** Sends `{"error":{"message":…,"type":…,"param":…,"code":…}}`. */
export function sendOpenAiError(request: IncomingMessage, response: ServerResponse, error: OpenAiError): void {
  const { status, message, param, code } = error
  const type = status < 500 ? 'invalid_request_error' : 'server_error'
  sendJson(request, response, status, JSON.stringify({ error: { message: redactUrls(message), type, param, code } }))
}

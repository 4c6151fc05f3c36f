import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sends an error in the envelope of Qdrant: `{"status":{"error":…},"time":0}`. When an answer has already started, it breaks the
 * connection instead.
 */
export function sendQdrantError(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  message: string,
): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  sendJson(request, response, status, JSON.stringify({ status: { error: message }, time: 0 }))
}

/** Sends printed JSON. The rest of the request body is read and discarded, so that the client can read the answer. */
export function sendJson(request: IncomingMessage, response: ServerResponse, status: number, json: string): void {
  sendWhole(request, response, status, 'application/json', json)
}

/** Sends plain text, like `sendJson`. */
export function sendText(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  sendWhole(request, response, status, 'text/plain', text)
}

/** Sends a page with status 200, like `sendJson`. */
export function sendHtml(request: IncomingMessage, response: ServerResponse, page: string): void {
  sendWhole(request, response, 200, 'text/html; charset=utf-8', page)
}

function sendWhole(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  type: string,
  text: string,
): void {
  const body = Buffer.from(text)
  response.statusCode = status
  response.setHeader('content-type', type)
  response.setHeader('content-length', body.length)
  response.end(request.method === 'HEAD' ? undefined : body)
  request.resume()
}

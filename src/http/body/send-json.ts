import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Answers as Qdrant reports a failure, for clients that believe they talk to Qdrant: `{"status":{"error":…},"time":0}`.
 * Once an answer has begun, its only honest end is a broken connection.
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

/** Sends printed JSON. What is left of the request's body is read and thrown away, so that the client can get to the answer. */
export function sendJson(request: IncomingMessage, response: ServerResponse, status: number, json: string): void {
  const body = Buffer.from(json)
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', body.length)
  response.end(request.method === 'HEAD' ? undefined : body)
  request.resume()
}

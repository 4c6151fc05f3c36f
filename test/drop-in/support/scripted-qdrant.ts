import http from 'node:http'

/** One request as the scripted Qdrant saw it. */
export interface SeenRequest {
  target: string
  headers: http.IncomingHttpHeaders
  body: string
}

/** How one request is answered; the text is the whole body. */
export type ScriptedAnswer = string | ((request: http.IncomingMessage, response: http.ServerResponse) => void)

/** What a client gets when its request arrives untouched: odd bytes, so that equality means something. */
export const ORIGINAL = '{"result" : {"points":[ ]},"status":"ok","time":5.0e-6, "note":"the original\\u00e9"}'

/**
 * A stand-in for Qdrant. Requests that came through the improver (they say `Via` and a batch, or hold no query) are answered by the
 * script; all others are the client's own and get the original answer, or what `direct` says.
 */
export function createScriptedQdrant(script: {
  lists?: ScriptedAnswer
  neighbours?: ScriptedAnswer
  direct?: ScriptedAnswer
}) {
  const improver: SeenRequest[] = []
  const untouched: SeenRequest[] = []
  const server = http.createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const seen = { target: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() }
    const ownCall = request.headers['accept-encoding'] === 'identity' && request.headers['x-client'] === undefined
    ;(ownCall ? improver : untouched).push(seen)
    const scripted = !ownCall
      ? (script.direct ?? ORIGINAL)
      : seen.target.includes('/batch')
        ? script.lists
        : script.neighbours
    if (typeof scripted === 'function') return scripted(request, response)
    response.writeHead(200, { 'content-type': 'application/json', vary: 'accept-encoding', 'x-qdrant': 'scripted' })
    response.end(scripted ?? fail(`no script for ${seen.target}`))
  })
  return { server, improver, untouched }
}

/** Qdrant's answer to a batch. */
export function listsAnswer(...lists: string[][]): string {
  return `{"result":[${lists.map(points => `{"points":[${points.join(',')}]}`).join(',')}],"status":"ok","time":0.001}`
}

export function pointText(id: string, score: string, payload = '{"text":"t"}', more = ''): string {
  return `{"id":${id},"version":3,"score":${score},"payload":${payload}${more}}`
}

function fail(message: string): never {
  throw new Error(message)
}

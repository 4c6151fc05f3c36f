import type { Server, ServerResponse } from 'node:http'
import { createRecordingServer, type Recorded } from '../../support/recording-server.ts'

/** How one request is answered; the text is the whole body. */
export type ScriptedAnswer = string | ((response: ServerResponse) => void)

/** What a client gets when its request arrives untouched: odd bytes, so that equality means something. */
export const ORIGINAL = '{"result" : {"points":[ ]},"status":"ok","time":5.0e-6, "note":"the original\\u00e9"}'

const HEADERS = { 'content-type': 'application/json', vary: 'accept-encoding', 'x-qdrant': 'scripted' }

/**
 * A stand-in for Qdrant. The improver's own requests (they ask for no compression) are answered by the script; all others are the
 * client's own and get the original answer, or what `direct` says.
 */
export function createScriptedQdrant(script: {
  lists?: ScriptedAnswer
  neighbours?: ScriptedAnswer
  direct?: ScriptedAnswer
}): { server: Server; improver: Recorded[]; untouched: Recorded[] } {
  const improver: Recorded[] = []
  const untouched: Recorded[] = []
  const { server } = createRecordingServer(request => {
    const { path, headers } = request
    const ownCall = headers['accept-encoding'] === 'identity'
    ;(ownCall ? improver : untouched).push(request)
    const scripted = !ownCall ? (script.direct ?? ORIGINAL) : path.includes('/batch') ? script.lists : script.neighbours
    if (scripted === undefined) throw new Error(`no script for ${path}`)
    return typeof scripted === 'function' ? scripted : { body: scripted, headers: HEADERS }
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

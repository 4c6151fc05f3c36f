import type { IncomingMessage, ServerResponse } from 'node:http'
import { REPLAY_HEADER } from '../pipeline/context-request.ts'
import type { Assignment } from '../pipeline/plan/assignment.ts'

const LONGEST_SESSION = 200

/** The session of a request on the paths of Qdrant: the header `x-stowage-session` of 1 to 200 characters. Null: no header, or another one. */
export function sessionIdOf(request: IncomingMessage): string | null {
  const header = request.headers['x-stowage-session']?.toString() ?? ''
  return header.length >= 1 && header.length <= LONGEST_SESSION ? header : null
}

/** Whether a request is marked as one of `stowage replay`. */
export function isReplay(request: IncomingMessage): boolean {
  return request.headers[REPLAY_HEADER] === 'true'
}

/** Shows the variant of an answer in `x-stowage-variant`: `experiment=variant`, percent-encoded, because their names can be any text. */
export function showVariant(response: ServerResponse, { experiment, variant }: Assignment): void {
  if (response.headersSent) return
  const names = [experiment, variant].map(name => encodeURIComponent(name.replace(LONE_SURROGATES, '\uFFFD')))
  response.setHeader('x-stowage-variant', names.join('='))
}

const LONE_SURROGATES = /\p{Surrogate}/gu

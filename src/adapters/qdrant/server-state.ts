import { connect } from 'node:tls'
import { messageOf } from '../../core/errors.ts'
import type { ServerState } from '../../doctor/facts.ts'
import { createQdrantHttp, type QdrantAnswer, type QdrantHttp } from '../../qdrant/client.ts'
import { isObject, parseJson } from '../../qdrant/json.ts'
import { headerValue } from '../../qdrant/raw-headers.ts'

const ANSWER_MS = 5_000
const REFUSED: readonly number[] = [401, 403]

/** Finds out what answers at an address: a Qdrant that takes the key, or what else. Never throws. */
export async function probeServer({ url, apiKey }: { url: string; apiKey: string | null }): Promise<ServerState> {
  const http = createQdrantHttp(url)
  try {
    const root = await get(http, '/', apiKey)
    if (REFUSED.includes(root.status)) return { kind: 'key_refused', status: root.status, hasKey: apiKey !== null }
    const version = versionIn(root)
    const type = headerValue(root.headers, 'content-type') ?? 'no content type'
    if (version === null) return { kind: 'other_service', detail: `it answers ${root.status} with ${type}` }
    // Qdrant answers its root to everybody.
    const { status } = await get(http, '/collections', apiKey)
    if (REFUSED.includes(status)) return { kind: 'key_refused', status, hasKey: apiKey !== null }
    return { kind: 'qdrant', version, refusedByFetch: await isRefusedByFetch(url, apiKey) }
  } catch (error) {
    return stateOfFailure(error, new URL(url))
  } finally {
    await http.close()
  }
}

function get(http: QdrantHttp, path: string, apiKey: string | null): Promise<QdrantAnswer> {
  const key = apiKey === null ? [] : ['api-key', apiKey]
  return http.readRaw({ method: 'GET', path, headers: key, signal: AbortSignal.timeout(ANSWER_MS) })
}

/** The version in `{"title": "qdrant - …", "version": "1.18.0"}`; null when the answer is something else. */
function versionIn({ status, text }: QdrantAnswer): string | null {
  if (status !== 200) return null
  try {
    const root = parseJson(text)
    return isObject(root) && typeof root.version === 'string' && /^\d+\.\d+/u.test(root.version) ? root.version : null
  } catch {
    return null
  }
}

async function stateOfFailure(error: unknown, url: URL): Promise<ServerState> {
  const [code, message] = [codeOf(error), messageOf(error)]
  const kind = error instanceof Error && 'code' in error ? error.code : null
  if (kind === 'upstream_unavailable' || kind === 'upstream_timeout') return { kind: 'nobody', reason: message }
  if (/CERT|SIGNED|UNABLE_TO_|ALTNAME/u.test(code)) return { kind: 'bad_certificate', reason: code }
  if (url.protocol === 'http:' && (await answersTls(url))) return { kind: 'speaks_tls' }
  if (url.protocol === 'https:' && (await answersPlain(url))) return { kind: 'speaks_plain_http' }
  return { kind: 'other_service', detail: 'something answers there, but not in HTTP/1.1' }
}

/** The code of the innermost cause. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if (error.cause instanceof Error) return codeOf(error.cause)
  return 'code' in error ? String(error.code) : error.name
}

function answersTls(url: URL): Promise<boolean> {
  return new Promise(resolve => {
    const host = url.hostname.replace(/^\[|\]$/gu, '')
    // Only whether a handshake is possible is asked; nothing is sent.
    const socket = connect({ host, port: Number(url.port || 80), rejectUnauthorized: false })
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(ANSWER_MS, () => finish(false))
    socket.once('secureConnect', () => finish(true))
    // An alert is an answer in TLS: the server wants another version, or a certificate of the client.
    socket.once('error', error => finish(/ALERT/u.test(codeOf(error))))
    socket.once('close', () => finish(false))
  })
}

async function answersPlain(url: URL): Promise<boolean> {
  const http = createQdrantHttp(Object.assign(new URL(url), { protocol: 'http:', port: url.port || '443' }).href)
  try {
    await get(http, '/', null)
    return true
  } catch {
    return false
  } finally {
    await http.close()
  }
}

/** The fetch standard forbids some ports, such as 6000 and 6665 to 6669. */
async function isRefusedByFetch(url: string, apiKey: string | null): Promise<boolean> {
  const headers = new Headers(apiKey === null ? {} : { 'api-key': apiKey })
  try {
    const answer = await fetch(`${url.replace(/\/$/u, '')}/`, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    await answer.body?.cancel()
    return false
  } catch (error) {
    return error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port'
  }
}

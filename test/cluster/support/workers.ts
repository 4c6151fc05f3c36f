import http from 'node:http'
import { startListening } from '../../support/stowage-process.ts'

/** Workers of the tests. */
export const WORKERS = 2

export interface Got {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

/** One request over a connection of its own: the workers get connections in turns. */
export function sendFresh(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  agent: http.Agent | false = false,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const options = { method, agent, headers: { 'content-type': 'application/json', ...headers } }
    const request = http.request(url + path, options, response => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('close', () => {
        if (!response.complete) return reject(new Error('the answer broke off'))
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(parts).toString() })
      })
    })
    request.on('error', reject)
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Starts `stowage serve` with workers. */
export async function startWorkers(environment: Record<string, string> = {}) {
  const running = await startListening(['serve', '--port', '0'], {
    WORKERS: String(WORKERS),
    LOG_LEVEL: 'info',
    REQUEST_DEADLINE_MS: '60000',
    ...environment,
  })
  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sendFresh(running.url, method, path, body, headers)
  return {
    ...running,
    send,
    /** As many requests as reach every worker several times. */
    sendToAll: (method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Got[]> =>
      Promise.all(Array.from({ length: 3 * WORKERS }, () => send(method, path, body, headers))),
    /** Every line of the log so far. */
    log: () => linesOf(running.written.err),
    /** The processes that have answered requests so far. */
    workerPids: () => [
      ...new Set(
        linesOf(running.written.err)
          .filter(({ route }) => route !== undefined)
          .map(({ pid }) => pid),
      ),
    ],
  }
}

export type RunningWorkers = Awaited<ReturnType<typeof startWorkers>>

interface LogLine {
  pid: number
  msg: string
  route?: string
  tenant?: string
  warnings?: unknown
}

function linesOf(log: string): LogLine[] {
  return log
    .split('\n')
    .filter(line => line.startsWith('{') && line.endsWith('}'))
    .map(line => JSON.parse(line))
}

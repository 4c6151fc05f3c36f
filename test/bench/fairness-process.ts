import { readFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Pool } from 'undici'
import { loadConfig } from '../../src/config.ts'
import { startServer } from '../../src/http/server.ts'
import { createLogger } from '../../src/observe/logger.ts'
import type { Tenant, TenantLimits } from '../../src/tenants/tenant.ts'
import { openGateway } from '../../src/wiring/gateway.ts'
import { tenantOfName } from '../support/tenants.ts'

/** A request of a load, and its tenant. */
export interface LoadRequest {
  kind: 'context' | 'points'
  tenant: string
  path: string
  body: string
  headers?: Record<string, string>
}

/**
 * What a process of the fairness bench is to do: be a stowage with two tenants, send requests at a steady pace, or send as many as it can
 * over many connections.
 */
export type FairnessRole =
  | { role: 'stowage'; upstream: string; limits: Record<string, TenantLimits> }
  | { role: 'steady'; url: string; server: number; requests: LoadRequest[]; everyMs: number; seconds: number }
  | { role: 'flood'; url: string; requests: LoadRequest[]; connections: number; mostPerSecond: number }

export interface LoadResult {
  /** Number of answers by status; 0 when the connection broke. */
  statuses: Record<number, number>
  /** Answers with 200 that a step was left out of, or that were not improved. */
  degraded: number
  /** The answers with 200. */
  answers: Answered[]
  seconds: number
}

export interface Answered {
  kind: LoadRequest['kind']
  id: string
  /** From the sending to the answer. */
  ms: number
  /**
   * Milliseconds that the main thread of the server was on a processor meanwhile, for this request and for others. Other processes of the
   * machine do not change it. The server tells it afterwards.
   */
  workMs?: number
}

/** Carries the milliseconds on a processor of the server's main thread, read by the client before it sends. */
const WORK_HEADER = 'x-bench-work'
/** Names the request for which the server measures the work. */
const ID_HEADER = 'x-bench-id'
/** In the server: milliseconds of work by the id of the request. */
const works: Record<string, number> = {}

/** Milliseconds that the main thread of a process was on a processor so far; NaN where the system does not tell (Linux does). */
function workOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return Number.NaN
  }
}

/** Serves two tenants; their keys are their names. */
async function serve(upstream: string, limits: Record<string, TenantLimits>): Promise<string> {
  const tenants = new Map<string, Tenant>(
    Object.entries(limits).map(([name, of]) => [name, tenantOfName(name, { limits: of })]),
  )
  const config = loadConfig({ ...process.env, QDRANT_URL: upstream })
  const gateway = await openGateway(config, createLogger({ level: 'silent' }), {
    find: apiKey => tenants.get(apiKey ?? '') ?? null,
  })
  const app: RequestListener = (request, response) => {
    const { [WORK_HEADER]: before, [ID_HEADER]: id } = request.headers
    if (before !== undefined) {
      response.once('finish', () => {
        works[String(id)] = workOf(process.pid) - Number(before)
      })
    }
    gateway.app(request, response)
  }
  return (await startServer(app, { port: 0, host: '127.0.0.1' })).url
}

/** Sends a request every so many milliseconds, whether or not the ones before it are answered. */
async function sendSteadily(load: Extract<FairnessRole, { role: 'steady' }>): Promise<LoadResult> {
  const client = openPool(load.url, 64)
  const result = emptyResult()
  const from = performance.now()
  const answers: Promise<void>[] = []
  for (let at = 0; at * load.everyMs < load.seconds * 1_000; at++) {
    await pause(Math.max(0, from + at * load.everyMs - performance.now()))
    const request = load.requests[at % load.requests.length]
    if (request) answers.push(send(client, request, result, load.server))
  }
  await Promise.all(answers)
  result.seconds = (performance.now() - from) / 1_000
  await client.close()
  return result
}

/**
 * Every connection sends its next request as soon as it has the answer to the last one, whatever that was, but all together no more than
 * so many per second: the flood must not take the processor from the server by its own work. It says when every connection is open.
 */
async function flood(load: Extract<FairnessRole, { role: 'flood' }>, over: AbortSignal): Promise<LoadResult> {
  const client = openPool(load.url, load.connections)
  const result = emptyResult()
  const from = performance.now()
  let sent = 0
  let answered = 0
  const lane = async () => {
    while (!over.aborted) {
      const at = sent++
      await pause(Math.max(0, from + (at * 1_000) / load.mostPerSecond - performance.now()))
      const request = load.requests[at % load.requests.length]
      if (request && !over.aborted) await send(client, request, result)
      if (++answered === load.connections) process.send?.('flooding')
    }
  }
  await Promise.all(Array.from({ length: load.connections }, lane))
  result.seconds = (performance.now() - from) / 1_000
  await client.close()
  return result
}

let sent = 0

async function send(
  client: Pool,
  { kind, tenant, path, body, headers }: LoadRequest,
  result: LoadResult,
  server?: number,
): Promise<void> {
  const id = `${process.pid}-${sent++}`
  const started = performance.now()
  try {
    const answer = await client.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        'api-key': tenant,
        ...headers,
        ...(server === undefined ? {} : { [ID_HEADER]: id, [WORK_HEADER]: String(workOf(server)) }),
      },
      body,
    })
    const text = await answer.body.text()
    result.statuses[answer.statusCode] = (result.statuses[answer.statusCode] ?? 0) + 1
    if (answer.statusCode !== 200) return
    result.answers.push({ kind, id, ms: performance.now() - started })
    if (answer.headers['x-stowage-degraded'] !== undefined || /"degraded":\[\{/.test(text)) result.degraded++
  } catch {
    result.statuses[0] = (result.statuses[0] ?? 0) + 1
  }
}

const openPool = (url: string, connections: number) => new Pool(url, { connections, headersTimeout: 0, bodyTimeout: 0 })
const emptyResult = (): LoadResult => ({ statuses: {}, degraded: 0, answers: [], seconds: 0 })

const over = new AbortController()
process.once('disconnect', () => process.exit())
process.on('message', (message: FairnessRole | 'stop' | 'works') => {
  if (message === 'stop') over.abort()
  else if (message === 'works') process.send?.(works)
  else void start(message).then(answer => process.send?.(answer))
})

async function start(role: FairnessRole): Promise<string | LoadResult> {
  if (role.role === 'stowage') return serve(role.upstream, role.limits)
  if (role.role === 'steady') return sendSteadily(role)
  return flood(role, over.signal)
}

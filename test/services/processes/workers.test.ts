import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { SAME_SIGNAL_MS } from '../../../src/commands/serve.ts'
import { type Got, sendFresh, startWorkers, WORKERS } from '../../cluster/support/workers.ts'
import { deferred } from '../../support/deferred.ts'
import { chunk, fill } from '../../support/points.ts'
import { startRecordingServer } from '../../support/recording-server.ts'
import { run } from '../../support/stowage-process.ts'
import { until } from '../support/wait.ts'

/** How workers end, and what becomes of the requests. */

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function started(environment: Record<string, string> = {}) {
  const stowage = await startWorkers(environment)
  open.push(() => stowage.stop('SIGKILL'))
  return stowage
}

/** Keeps asking over a connection that is kept, as a backend does. A broken connection is replaced, and the request is not repeated. */
function client(url: string, path: string, body: unknown) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const answers: Got[] = []
  let broken = 0
  let stopped = false
  const done = (async () => {
    while (!stopped) {
      await sendFresh(url, 'POST', path, body, {}, agent).then(
        answer => void answers.push(answer),
        () => void broken++,
      )
    }
    agent.destroy()
  })()
  return {
    answers,
    broken: () => broken,
    stop: () => {
      stopped = true
      return done
    },
  }
}

describe('a worker that is killed', () => {
  it('takes no more than its own open requests with it: no answer is wrong, and every client is answered again', async () => {
    const stowage = await started()
    await fill(stowage.url, 'harbour', [chunk(1, 'The sluice is described here.')])
    const clients = Array.from({ length: 2 * WORKERS }, () =>
      client(stowage.url, '/v1/context', { query: 'sluice', collection: 'harbour', session_id: 's' }),
    )
    const eachHas = (count: number) => () => clients.every(({ answers }) => answers.length >= count) || undefined
    await until('every client has answers', eachHas(5))
    const count = (page: string) =>
      Number(/stowage_requests_total\{endpoint="context",outcome="ok"\} (\d+)/u.exec(page)?.[1])
    const before = count((await stowage.send('GET', '/v1/metrics')).text)
    const pids = stowage.workerPids()
    expect(pids).toHaveLength(WORKERS)
    const [victim = 0] = pids
    process.kill(victim, 'SIGKILL')
    const workers = async () => (await stowage.send('GET', '/v1/metrics')).text
    await until(
      'another worker has taken its place',
      async () =>
        /^stowage_worker_restarts_total 1$/mu.test(await workers()) && /^stowage_workers 2$/mu.test(await workers()),
    )
    await until('every client has more answers', eachHas(Math.max(...clients.map(({ answers }) => answers.length)) + 5))
    await Promise.all(clients.map(({ stop }) => stop()))
    const contexts = clients.flatMap(({ answers }) =>
      answers.map(({ status, text }) => [status, JSON.parse(text).context]),
    )
    expect(new Set(contexts.map(answer => JSON.stringify(answer))).size).toBe(1)
    expect(contexts[0]?.[0]).toBe(200)
    const broken = clients.reduce((sum, client) => sum + client.broken(), 0)
    expect(broken).toBeLessThanOrEqual(clients.length)
    const page = (await stowage.send('GET', '/v1/metrics')).text
    expect(page).toContain('\nstowage_worker_restarts_total 1\n')
    // What the killed worker had counted still counts, so that no rate jumps.
    expect(count(page)).toBeGreaterThanOrEqual(before)
    expect(stowage.log().filter(({ msg }) => msg === 'a worker ended; it is started again')).toHaveLength(1)
  })

  it('is replaced when it is the first, and until then what only the first one has is refused with 503', async () => {
    const stowage = await started({ MCP: 'on' })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const headers = { accept: 'application/json, text/event-stream' }
    const call = () =>
      stowage.send('POST', '/mcp', ping, headers).then(
        ({ status }) => status,
        () => 0,
      )
    const firsts = () => [...new Set(stowage.log().flatMap(({ route, pid }) => (route === 'POST /mcp' ? [pid] : [])))]
    expect(await Promise.all([call(), call(), call(), call()])).toEqual([200, 200, 200, 200])
    expect(firsts()).toHaveLength(1)
    process.kill(firsts()[0] ?? 0, 'SIGKILL')
    const seen: number[] = []
    await until('another first worker answers', async () => {
      seen.push(await call())
      return firsts().length === 2 || undefined
    })
    expect(seen.filter(status => ![0, 200, 503].includes(status))).toEqual([])
    expect(seen).toContain(503)
    expect(await Promise.all([call(), call(), call(), call()])).toEqual([200, 200, 200, 200])
  })

  it('leaves no client waiting whose connection was on its way to it', async () => {
    const stowage = await started()
    await until('every worker has answered', async () => {
      await stowage.send('GET', '/collections')
      return stowage.workerPids().length === WORKERS || undefined
    })
    const [victim = 0] = stowage.workerPids()
    process.kill(victim, 'SIGSTOP')
    const asked = Array.from({ length: 3 * WORKERS }, () =>
      stowage.send('GET', '/healthz').then(
        ({ status }) => status,
        () => 'broken',
      ),
    )
    const answered = await Promise.race([
      Promise.all(asked),
      until('one is stuck', async () => {
        const settled = await Promise.all(
          asked.map(one => Promise.race([one, new Promise(resolve => setImmediate(resolve, null))])),
        )
        return settled.filter(status => status === null).length === 1 || undefined
      }),
    ])
    expect(answered).toBe(true)
    process.kill(victim, 'SIGKILL')
    const ends = await Promise.all(asked)
    expect(ends.filter(end => end === 'broken')).toHaveLength(1)
    expect(ends.filter(end => end === 200)).toHaveLength(asked.length - 1)
  })
})

describe('the whole', () => {
  it('answers all requests in flight before it ends, and takes no new ones', async () => {
    const release = deferred<void>()
    const arrived = { count: 0 }
    const upstream = await startRecordingServer(async () => {
      arrived.count++
      await release.promise
      return { body: '{"result":true,"status":"ok","time":0}', headers: { 'content-type': 'application/json' } }
    })
    open.push(upstream.close)
    const stowage = await started({ QDRANT_URL: upstream.url })
    const asked = stowage.sendToAll('GET', '/collections/harbour')
    await until('all are at the upstream', () => arrived.count === 3 * WORKERS || undefined)
    const ended = stowage.stop('SIGTERM')
    await until('the port is closed', () =>
      stowage.send('GET', '/healthz').then(
        () => undefined,
        () => true,
      ),
    )
    release.resolve()
    expect((await asked).map(({ status, text }) => [status, text])).toEqual(
      (await asked).map(() => [200, '{"result":true,"status":"ok","time":0}']),
    )
    expect((await ended).code).toBe(0)
  })

  it('answers the connections that wait for a worker at the signal', async () => {
    const stowage = await started()
    await until('every worker has answered', async () => {
      await stowage.send('GET', '/collections')
      return stowage.workerPids().length === WORKERS || undefined
    })
    const pids = stowage.workerPids()
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    const { hostname, port } = new URL(stowage.url)
    const sockets = Array.from({ length: 12 }, () => connect(Number(port), hostname))
    const answers = sockets.map(async socket => {
      let text = ''
      socket.setEncoding('utf8').on('data', part => {
        text += part
      })
      socket.write('GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n')
      await once(socket, 'close').catch(() => {})
      return text.slice(0, 12)
    })
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    const ended = stowage.stop('SIGTERM')
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'HTTP/1.1 200'))
    expect((await ended).code).toBe(0)
  })

  // Workers get connections in turns: one of both connections is not that of the first worker.
  it.each([0, 1])('answers a last request that only the first worker can answer, after %s others', async others => {
    const stowage = await started()
    for (let at = 0; at < others; at++) await stowage.send('GET', '/healthz')
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (path: string) => sendFresh(stowage.url, 'GET', path, undefined, {}, agent)
    await ask('/healthz')
    const ended = stowage.stop('SIGTERM')
    await until('the port is closed', () =>
      stowage.send('GET', '/healthz').then(
        () => undefined,
        () => true,
      ),
    )
    expect((await ask('/v1/experiments')).status).toBe(200)
    expect((await ended).code).toBe(0)
  })

  it('ends with the primary, even when that is killed', async () => {
    const stowage = await started()
    // Resolves when nobody has its stdout any more.
    expect((await stowage.stop('SIGKILL')).code).toBe(null)
  })

  it('ends at the second signal, whatever is in flight', async () => {
    const upstream = await startRecordingServer(() => new Promise(() => {}))
    open.push(upstream.close)
    const stowage = await started({ QDRANT_URL: upstream.url })
    const asked = stowage.send('GET', '/collections/harbour').catch(() => 'broken')
    await until('it is at the upstream', () => upstream.requests.length > 0 || undefined)
    stowage.signal('SIGINT')
    await until('the port is closed', () =>
      stowage.send('GET', '/healthz').then(
        () => undefined,
        () => true,
      ),
    )
    await setTimeout(2 * SAME_SIGNAL_MS)
    expect((await stowage.stop('SIGINT')).code).toBe(1)
    expect(await asked).toBe('broken')
  })
})

describe('a start that fails', () => {
  it('has the message and the exit code of a process alone, and is not tried again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'stowage-workers-'))
    open.push(() => rm(folder, { recursive: true }))
    const path = join(folder, 'tenants.yaml')
    await writeFile(path, 'tenants: { acme: { keys: [] } }')
    const serve = (environment: Record<string, string>) =>
      run(['serve', '--port', '0'], { TENANTS_FILE: path, ...environment })
    const [alone, workers] = await Promise.all([serve({}), serve({ WORKERS: '3' })])
    expect(alone.code).toBe(2)
    expect(workers).toEqual(alone)
  })

  it('names a port that is taken as a process alone does', async () => {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    open.push(() => server.close())
    const { port } = server.address() as AddressInfo
    const serve = (environment: Record<string, string>) => run(['serve', '--port', String(port)], environment)
    const [alone, workers] = await Promise.all([serve({}), serve({ WORKERS: '2' })])
    expect([alone.code, alone.err]).toEqual([
      1,
      `stowage: cannot listen on host 127.0.0.1, port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`,
    ])
    expect(workers).toEqual(alone)
  })
})

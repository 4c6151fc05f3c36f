import { createServer, type ServerResponse } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createPassthrough } from '../../src/http/passthrough/passthrough.ts'
import { createOutageReports } from '../../src/observe/reports/outages.ts'
import type { PackContext } from '../../src/pipeline/services.ts'
import { createQdrantHttp } from '../../src/qdrant/client.ts'
import { capturedReporter } from '../support/captured-log.ts'
import { contextAnswer } from '../support/context-answer.ts'
import { deferred } from '../support/deferred.ts'
import { createStage } from '../support/stage.ts'

const stage = createStage()
afterEach(() => stage.close())

describe('a request that Qdrant fails', () => {
  /** The line, the outcome and the counted answer of one request that passes through to this Qdrant. */
  async function passThroughTo(upstream: string, idleTimeoutMs = 60_000) {
    const { lines, metrics, reporter } = capturedReporter()
    const { passthrough } = createPassthrough({
      upstream: new URL(upstream),
      idleTimeoutMs,
      onEnd: status => reporter.upstreamForwarded({ status }),
    })
    const { url, close } = await stage.serve({ metrics, reporter, passthrough })
    await fetch(`${url}/collections/c`)
      .then(answer => answer.text())
      .catch(() => {})
    await close(1_000)
    await vi.waitFor(() => expect(lines.some(({ route }) => route !== undefined)).toBe(true))
    const [counted] = (await metrics.upstreamResponses.get()).values.filter(({ value }) => value > 0)
    return { line: lines.find(({ route }) => route !== undefined), counted: counted?.labels.status, lines }
  }
  const answering = (listener: Parameters<typeof createServer>[1]) => stage.listen(createServer(listener))

  test('names the cause in its line, and is no fault of stowage', async () => {
    const { line, counted, lines } = await passThroughTo('http://127.0.0.1:1')
    expect(line).toMatchObject({ outcome: 'upstream_error', status: 503, cause: expect.stringMatching(/ECONNREFUSED/) })
    expect(counted).toBe('none')
    expect(lines.filter(({ level }) => level === 40)).toMatchObject([
      { msg: expect.stringMatching(/requests to Qdrant fail/) },
    ])
  })

  test('with its own 500 is no fault of stowage', async () => {
    const url = await answering((_request, response) => response.writeHead(500).end('{"status":{"error":"disk"}}'))
    const { line, counted } = await passThroughTo(url)
    expect(line).toMatchObject({ outcome: 'upstream_error', status: 500 })
    expect(counted).toBe('5xx')
  })

  test.each([
    ['breaks off', (response: ServerResponse) => response.destroy()],
    ['stands still', () => {}],
  ])('when an answer %s within its body says so', async (_name, fail) => {
    const url = await answering((_request, response) => {
      response.writeHead(200, { 'content-length': 100 })
      response.write('{"result":', () => fail(response))
    })
    const { line, counted } = await passThroughTo(url, 500)
    expect(line).toMatchObject({ outcome: 'upstream_error', status: 200, cause: expect.stringMatching(/^upstream_/) })
    expect(counted).toBe('none')
  })

  test('names the cause in the line of /v1/context, without what Qdrant wrote', async () => {
    const { lines, metrics, reporter } = capturedReporter()
    const http = createQdrantHttp(await answering((_request, response) => response.writeHead(503).end('of a question')))
    const packContext: PackContext = async () => {
      await http.read({ method: 'GET', path: '/x', apiKey: null, signal: new AbortController().signal })
      return contextAnswer()
    }
    const { url, close } = await stage.serve({ metrics, reporter, packContext })
    const body = JSON.stringify({ query: 'a question', collection: 'c' })
    const headers = { 'content-type': 'application/json' }
    await (await fetch(`${url}/v1/context`, { method: 'POST', headers, body })).text()
    await close(1_000)
    await http.close()
    expect(lines).toMatchObject([{ status: 502, outcome: 'upstream_error', cause: 'Qdrant answers 503' }])
    expect(JSON.stringify(lines)).not.toContain('of a question')
  })

  test('because stowage ends is not blamed on Qdrant', async () => {
    const { lines, metrics, reporter } = capturedReporter()
    const reached = deferred<void>()
    const upstream = await answering(() => reached.resolve())
    const ends: (number | null)[] = []
    const proxy = createPassthrough({ upstream: new URL(upstream), onEnd: status => ends.push(status) })
    const { url, close } = await stage.serve({ metrics, reporter, passthrough: proxy.passthrough })
    const asked = fetch(`${url}/collections`).catch(() => null)
    await reached.promise
    await close(0)
    proxy.close()
    expect(await asked).toBeNull()
    await vi.waitFor(() => expect(lines).toMatchObject([{ outcome: 'aborted', status: null }]))
    expect(lines[0]).not.toHaveProperty('cause')
    expect(ends).toEqual([])
  })

  test('is told at the start of an outage and after it, not for each request', () => {
    const { lines, logger } = capturedReporter()
    let now = 0
    const outages = createOutageReports(logger, () => now)
    for (const status of [200, null, null, 200, null, 500]) outages.forwarded(status)
    expect(lines).toMatchObject([{ level: 40 }])
    now = 10_000
    for (const status of [200, 200]) outages.forwarded(status)
    expect(lines).toMatchObject([{ level: 40 }, { level: 30, msg: 'Qdrant answers again' }])
  })
})

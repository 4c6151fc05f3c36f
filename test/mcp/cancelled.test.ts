import { createServer, request as openRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { listen } from '../support/listen.ts'
import { openStowage } from '../support/stowage.ts'
import { connectOverHttp } from './support/agent.ts'

const SEARCH = 'search_with_contextual_retrieval'
const QUESTION = { query: 'travel', collection: 'docs' }
const COLLECTION = { config: { params: { vectors: {} } }, points_count: 1 }
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** A Qdrant that takes requests for the collection and answers none, but those that are named here, and a stowage before it. */
async function openWorld(environment: Record<string, string> = {}, answers: Record<string, unknown> = {}) {
  let tellReceived = () => {}
  let tellLeft = () => {}
  const received = new Promise<void>(resolve => {
    tellReceived = resolve
  })
  const left = new Promise<void>(resolve => {
    tellLeft = resolve
  })
  const server = createServer((request, response) => {
    if (!request.url?.startsWith('/collections/docs')) return response.end('{"result":{"aliases":[]}}')
    const result = answers[`${request.method} ${request.url}`]
    if (result !== undefined) return response.end(JSON.stringify({ result }))
    response.once('close', tellLeft)
    tellReceived()
  })
  const url = await listen(server)
  closers.push(async () => {
    server.closeAllConnections()
    server.close()
  })
  const stowage = await openStowage({ MCP: 'on', QDRANT_URL: url, ...environment })
  closers.push(() => stowage.close())
  return { stowage, received, left }
}

describe('a call that is not waited for', () => {
  it.each([
    ['get_contextual_retrieval_stats', {}],
    ['reindex_with_context', {}],
    ['reindex_with_context', { dry_run: true }],
  ])('%s %j ends its request to Qdrant when it is cancelled', async (name, more) => {
    const { stowage, received, left } = await openWorld()
    const agent = await connectOverHttp(stowage.url)
    const cancel = new AbortController()
    const call = agent.call(name, { collection: 'docs', ...more }, { signal: cancel.signal })
    await received
    cancel.abort('not needed')
    await expect(call).rejects.toThrow('not needed')
    await left
    await agent.close()
  })

  it('ends its request to Qdrant when it is cancelled, and the next call works', async () => {
    const { stowage, received, left } = await openWorld()
    const agent = await connectOverHttp(stowage.url)
    const cancel = new AbortController()
    const call = agent.call(SEARCH, QUESTION, { signal: cancel.signal })
    await received
    cancel.abort('not needed')
    await expect(call).rejects.toThrow('not needed')
    await left
    expect((await agent.call('explain_trace', { trace_id: 'x' })).text).toContain('not_found')
    await agent.close()
  })

  it('is not ended by another client that cancels the same id', async () => {
    const { stowage, received } = await openWorld()
    const [agent, other] = [await connectOverHttp(stowage.url), await connectOverHttp(stowage.url)]
    let isOver = false
    const call = agent.call(SEARCH, QUESTION).finally(() => {
      isOver = true
    })
    await received
    const cancelled = { method: 'notifications/cancelled' as const }
    for (const requestId of [1, 2, 3]) await other.client.notification({ ...cancelled, params: { requestId } })
    await other.names()
    expect(isOver).toBe(false)
    await agent.close()
    await expect(call).rejects.toThrow()
    await other.close()
  })

  it('ends its request to Qdrant when its client has gone', async () => {
    const { stowage, received, left } = await openWorld()
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const request = openRequest(`${stowage.url}/mcp`, { method: 'POST', headers })
    request.on('error', () => {})
    const params = { name: SEARCH, arguments: QUESTION }
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
    await received
    request.destroy()
    await left
  })
})

describe('a Qdrant that does not answer', () => {
  it('gives an error at the deadline', async () => {
    const { stowage } = await openWorld({ REQUEST_DEADLINE_MS: '50' })
    const agent = await connectOverHttp(stowage.url)
    const { text, isError } = await agent.call(SEARCH, QUESTION)
    expect([isError, text]).toEqual([true, expect.stringMatching(/^upstream_timeout: /u)])
    await agent.close()
  })

  it.each([
    ['get_contextual_retrieval_stats', {}],
    ['reindex_with_context', {}],
    ['reindex_with_context', { dry_run: true }],
  ])('%s %j gives an error at the deadline', async (name, more) => {
    const { stowage } = await openWorld({ REQUEST_DEADLINE_MS: '50' })
    const agent = await connectOverHttp(stowage.url)
    const { text, isError } = await agent.call(name, { collection: 'docs', ...more })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^upstream_timeout: /u)])
    await agent.close()
  })

  it('does not hold a process that ends while a job waits for it', async () => {
    const { stowage, received } = await openWorld({}, { 'GET /collections/docs': COLLECTION })
    const agent = await connectOverHttp(stowage.url)
    expect((await agent.call('reindex_with_context', { collection: 'docs' })).text).toMatch(/^Job \S+ started/u)
    await received
    await agent.close()
    await stowage.close()
  })

  it('gives an error when there is none', async () => {
    const gone = createServer()
    const url = await listen(gone)
    await new Promise(resolve => gone.close(resolve))
    const stowage = await openStowage({ MCP: 'on', QDRANT_URL: url })
    closers.push(() => stowage.close())
    const agent = await connectOverHttp(stowage.url)
    for (const name of [SEARCH, 'get_contextual_retrieval_stats']) {
      const { text } = await agent.call(name, name === SEARCH ? QUESTION : { collection: 'docs' })
      expect(text).toMatch(/^upstream_unavailable: /u)
    }
    await agent.close()
  })
})

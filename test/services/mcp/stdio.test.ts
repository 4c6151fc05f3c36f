import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../../src/embedded/server.ts'
import { temporaryFolder } from '../../contextualize/support/live-world.ts'
import { connectAgent } from '../../mcp/support/agent.ts'
import { startLlmServer } from '../../support/llm-server.ts'
import { chunk, upsert } from '../../support/points.ts'
import { send } from '../../support/send.ts'
import { STOWAGE } from '../../support/stowage-process.ts'
import { declareTenants, openTenantsFile } from '../../support/tenants-file.ts'
import { until } from '../support/wait.ts'

const SEARCH = 'search_with_contextual_retrieval'
let engine: EmbeddedServer
const place = temporaryFolder()
beforeAll(async () => {
  engine = await startEmbeddedServer()
  await send(engine.url, 'PUT', '/collections/docs', { sparse_vectors: { sparse: { modifier: 'idf' } } })
  await upsert(engine.url, 'docs', [
    chunk(1, 'The threshold for level 3 travel insurance is $500,000.', { tenant: 'acme' }),
    chunk(2, 'The travel secret of beta.', { tenant: 'beta' }),
  ])
})
afterAll(async () => {
  await engine.close()
  place.remove()
})

const environment = (more: Record<string, string> = {}) => ({
  PATH: process.env.PATH ?? '',
  EMBEDDER: 'none',
  RERANKER: 'off',
  QDRANT_URL: engine.url,
  ...more,
})

const connect = (line: string[] = [], more: Record<string, string> = {}) =>
  connectAgent(
    new StdioClientTransport({
      command: process.execPath,
      args: [STOWAGE, 'mcp', ...line],
      env: environment(more),
      cwd: place.folder,
      stderr: 'ignore',
    }),
  )

describe('stowage mcp', () => {
  it('passes a session of the official client', async () => {
    const model = await startLlmServer({
      answer: () =>
        'Travel insurance of the company: this part of the policy on insured journeys names the sum above which the insurer has to agree, for each of the levels of travel. It follows the definitions of the levels, and it comes before the list of the countries that each of the levels covers, which changes every year.',
    })
    const agent = await connect([], { CONTEXT_MODEL: 'test', CONTEXT_BASE_URL: `${model.url}/v1`, MCP_BUDGET_USD: '2' })
    expect(await agent.names()).toHaveLength(6)
    const { text } = await agent.call(SEARCH, { query: 'level 3 threshold', collection: 'docs', budget_tokens: 200 })
    expect(text).toContain('$500,000')
    const trace_id = /trace_id ([\w-]+)/u.exec(text)?.[1]
    expect((await agent.call('explain_trace', { trace_id })).text).toContain('included at position 1')
    const document = 'Travel insurance. The threshold for level 3 travel insurance is $500,000.'
    const asked = { document, chunk: 'The threshold for level 3 travel insurance is $500,000.', writer: 'openai' }
    expect((await agent.call('generate_context_for_chunk', asked)).text).toMatch(/written by \w+/u)
    expect(model.stats().requests.length).toBeGreaterThan(0)
    const { text: started } = await agent.call('reindex_with_context', {
      collection: 'docs',
      writer: 'openai',
      budget_usd: 2,
    })
    const job = /^Job ([\w-]+) started/u.exec(started)?.[1]
    const { text: ended } = await agent.call('get_reindexing_progress', { job, wait_seconds: 30 })
    expect(ended).toContain('2 contexts were stored in a collection of 2 points.')
    const { text: figures } = await agent.call('get_contextual_retrieval_stats', { collection: 'docs' })
    expect(figures).toContain('docs: 2 of 2 points with text have a context (100 %).')
    expect(figures).toMatch(/Models were asked \d+ times/u)
    expect(await agent.call(SEARCH, { query: '' })).toMatchObject({ isError: true })
    await agent.close()
    await model.close()
  })

  it('sees what a tenant sees, and refuses a tenant that is not declared', async () => {
    const file = await openTenantsFile(declareTenants({ acme: {} }))
    const acme = await connect(['--tenant', 'acme'], { TENANTS_FILE: file.path })
    expect(await acme.names()).toHaveLength(4)
    const { text } = await acme.call(SEARCH, { query: 'travel secret of beta', collection: 'docs' })
    expect(text).not.toContain('secret')
    await file.replace(declareTenants({ acme: { value: 'beta' } }))
    const secret = { query: 'travel secret of beta', collection: 'docs' }
    await until('the new value counts', async () => (await acme.call(SEARCH, secret)).text.includes('secret'))
    await file.replace(declareTenants({ other: {} }))
    await until('the tenant is refused', () =>
      acme.call(SEARCH, secret).then(
        () => false,
        () => true,
      ),
    )
    await acme.close()
    await file.replace(declareTenants({ acme: {} }))
    await expect(connect(['--tenant', 'other'], { TENANTS_FILE: file.path })).rejects.toThrow()
    await file.remove()
  })

  it('writes nothing but messages to stdout, answers after a broken line, and ends with its client', async () => {
    const child = spawn(process.execPath, [STOWAGE, 'mcp'], { env: environment(), stdio: ['pipe', 'pipe', 'pipe'] })
    let out = ''
    let err = ''
    child.stderr.on('data', text => {
      err += text
    })
    const answered = new Promise<void>(resolve => {
      child.stdout.on('data', text => {
        out += text
        if (out.includes('"id":7')) resolve()
      })
    })
    const ended = once(child, 'close')
    child.stdin.write('this is no message\n')
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' })}\n`)
    await answered
    child.stdin.end()
    expect(await ended).toEqual([0, null])
    for (const line of out.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' })
    expect(err).toContain('message not understood')
  })

  it('ends at a signal while a call waits', async () => {
    const child = spawn(process.execPath, [STOWAGE, 'mcp'], { env: environment({ LOG_LEVEL: 'error' }), stdio: 'pipe' })
    const ready = once(child.stdout, 'data')
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`)
    await ready
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })
})

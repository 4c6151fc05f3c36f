import { mkdtemp, rm } from 'node:fs/promises'
import { request as openRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keyHash } from '../../src/tenants/keys.ts'
import { createTokenizer } from '../../src/text/tokens.ts'
import { chunk, fill, upsert } from '../support/points.ts'
import { openStowage, type Stowage } from '../support/stowage.ts'
import { declareTenants, openTenantsFile } from '../support/tenants-file.ts'
import { connectOverHttp } from './support/agent.ts'

const { count: countTokens } = createTokenizer('gpt-4o-2024-11-20')
const SEARCH = 'search_with_contextual_retrieval'
const TOOL_NAMES = [
  SEARCH,
  'explain_trace',
  'generate_context_for_chunk',
  'get_contextual_retrieval_stats',
  'reindex_with_context',
  'get_reindexing_progress',
]
const DOCUMENT =
  '# Travel\n\nThis policy insures employees on journeys. \n\n## Limits\n\nLevel 3 travel means travel to a war zone. The threshold for Level 3 travel is $500,000.'

const travel = [
  chunk(1, 'The threshold for level 3 travel insurance is $500,000.'),
  chunk(2, 'Level 2 travel needs the approval of a manager before the journey begins.'),
  chunk(3, 'Expenses of travel are paid back within thirty days after the journey.'),
]

/** Chunks of one document, whose first sentence tells the others where they stand. */
const reindexed = travel.map(({ id, payload }, order_index) =>
  chunk(id, String(payload.text), { doc_id: 'policy', doc_title: 'Policy', order_index }),
)

/** The state of jobs stands below the working directory. */
let folder: string
const cwd = process.cwd()
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-mcp-'))
  process.chdir(folder)
})
afterAll(async () => {
  process.chdir(cwd)
  await rm(folder, { recursive: true })
})

const traceIdIn = (text: string) => /trace_id ([\w-]+)/u.exec(text)?.[1] ?? ''

describe('a session of the official client over HTTP', () => {
  let stowage: Stowage
  let agent: Awaited<ReturnType<typeof connectOverHttp>>
  beforeAll(async () => {
    stowage = await openStowage({ MCP: 'on' })
    await fill(stowage.url, 'docs', travel)
    const sentence = `Level 3 travel ${Array.from({ length: 150 }, (_, at) => `with item ${at}`).join(' ')}.`
    await fill(stowage.url, 'long', [chunk(1, sentence)])
    await fill(stowage.url, 'empty', [])
    agent = await connectOverHttp(stowage.url)
  })
  afterAll(async () => {
    await agent.close()
    await stowage.close()
  })

  it('lists the tools with descriptions and closed schemas', async () => {
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(TOOL_NAMES)
    for (const { description, inputSchema } of tools) {
      expect(description?.length).toBeGreaterThan(40)
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
    }
  })

  it('searches, and explains a passage that is in the context and one that is not', async () => {
    const { text, isError } = await agent.call(SEARCH, {
      query: 'threshold for level 3 travel',
      collection: 'docs',
      limit: 1,
    })
    expect(isError).toBe(false)
    expect(text).toContain('$500,000')
    expect(text).toMatch(/1 passage · .*documents.* \([\d.]+\) · /u)
    const trace_id = traceIdIn(text)
    const whole = await agent.call('explain_trace', { trace_id })
    expect(whole.text).toContain('"threshold for level 3 travel" in docs')
    expect((await agent.call('explain_trace', { trace_id, candidate: 1 })).text).toContain('included at position 1')
    expect((await agent.call('explain_trace', { trace_id, candidate: 'doc-2' })).text).toMatch(/left out \(\w+\)/u)
  })

  it('leaves out what is less relevant than the threshold, and says so in the trace', async () => {
    const { text } = await agent.call(SEARCH, {
      query: 'level 3 travel threshold',
      collection: 'docs',
      score_threshold: 1,
    })
    expect(text).not.toContain('thirty days')
    const { text: why } = await agent.call('explain_trace', { trace_id: traceIdIn(text), candidate: 3 })
    expect(why).toContain('left out (below_threshold)')
  })

  it('writes the context of a chunk, and stores nothing', async () => {
    const { text } = await agent.call('generate_context_for_chunk', {
      document: DOCUMENT,
      chunk: 'The threshold for Level 3 travel is $500,000.',
      title: 'Travel policy',
      section_path: 'Travel > Limits',
    })
    expect(text).toContain('Level 3 travel means travel to a war zone.')
    expect(text).toContain('written by rules')
  })

  it('reindexes in the background: dry run, job, progress notifications, statistics', async () => {
    // There is no embedder, so the collection has none of its vectors.
    await stowage.send('PUT', '/collections/plain', { sparse_vectors: { sparse: { modifier: 'idf' } } })
    await upsert(stowage.url, 'plain', reindexed)
    const before = await agent.call('get_contextual_retrieval_stats', { collection: 'plain' })
    expect(before.text).toContain('plain: 0 of 3 points with text have a context (0 %).')
    expect((await agent.call('get_reindexing_progress')).text).toBe('not_found: There is no job yet')
    const dry = await agent.call('reindex_with_context', { collection: 'plain', dry_run: true })
    expect(dry.text).toContain('A run would write 3 contexts')
    const { text: started } = await agent.call('reindex_with_context', { collection: 'plain' })
    const job = /^Job ([\w-]+) started: contexts for plain by rules\.$/u.exec(started)?.[1]
    const seen: number[] = []
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress)
    const { text: ended } = await agent.call('get_reindexing_progress', { job, wait_seconds: 30 }, { onprogress })
    expect(ended).toContain(`Job ${job}, contexts for plain by rules: done.`)
    expect(ended).toContain('3 contexts were stored in a collection of 3 points.')
    expect(seen.length).toBeGreaterThan(0)
    const after = await agent.call('get_contextual_retrieval_stats', { collection: 'plain' })
    expect(after.text).toContain('plain: 3 of 3 points with text have a context (100 %).')
    expect(after.text).toContain('By model: rules: 3.')
  })

  it.each([
    [SEARCH, { query: 'x', collection: 'docs', limit: -1 }, 'limit=-1: '],
    [SEARCH, { query: 'x', collection: 'docs', budget_tokens: 1.5 }, 'budget_tokens=1.5: '],
    [SEARCH, { query: 'x', collection: 'docs', filter: { must: [{ has_id: [2 ** 60] }] } }, 'an integer beyond 2^53'],
    [SEARCH, { query: 'x', collection: 'docs', filter: { must: Array(100_000).fill({}) } }, 'longer than 262144 bytes'],
    [SEARCH, { query: 'x', colection: 'docs' }, 'colection="docs": unknown key'],
    [SEARCH, { query: 'x' }, 'collection: give either collection or project'],
    [SEARCH, { query: 'x'.repeat(1_000_000), collection: 'docs' }, 'query="xxx'],
    [SEARCH, { query: 'x', collection: 'none' }, 'collection_not_found: '],
    [SEARCH, { query: 'x', project: 'none' }, 'none'],
    ['explain_trace', { trace_id: 'none' }, 'not_found: '],
    ['generate_context_for_chunk', { document: 'd', chunk: 'c', writer: 'openai' }, 'CONTEXT_MODEL'],
    ['generate_context_for_chunk', { document: 'd', chunk: 'c', writer: 'poet' }, 'writer="poet": '],
    ['reindex_with_context', { collection: 'docs', writer: 'openai' }, 'budget_usd: is needed'],
    [
      'reindex_with_context',
      { collection: 'docs', writer: 'openai', budget_usd: 1.01 },
      'budget_usd=1.01: the most is 1',
    ],
    ['reindex_with_context', { collection: 'none' }, 'collection_not_found'],
    ['get_reindexing_progress', { job: 'none' }, 'not_found: There is no such job'],
    ['get_contextual_retrieval_stats', { collection: 'none' }, 'collection_not_found: '],
  ])('answers %s %j with an error that says what is wrong', async (name, args, message) => {
    let answer = await agent.call(name, args)
    const job = /^Job ([\w-]+) started/u.exec(answer.text)?.[1]
    if (job) answer = await agent.call('get_reindexing_progress', { job, wait_seconds: 30 })
    expect(answer.isError || job !== undefined).toBe(true)
    expect(answer.text).toContain(message)
    expect(answer.text.length).toBeLessThan(1_000)
  })

  it('refuses a tool that it does not have as the protocol says', async () => {
    await expect(agent.call('drop_collection')).rejects.toThrow('There is no tool drop_collection')
  })

  it.each([
    [1, true, ''],
    [2, true, 'too small'],
    [6, true, 'raise budget_tokens'],
    [20, false, 'No passage fits into budget_tokens=20: raise it.'],
    [60, false, 'No passage fits into budget_tokens=60: raise it.'],
  ])('says that a budget of %i tokens is too small for a passage', async (budget_tokens, fails, said) => {
    const { text, isError } = await agent.call(SEARCH, { query: 'level 3 travel', collection: 'long', budget_tokens })
    expect(text.split('\n')[0]).toBe(said)
    expect(isError).toBe(fails)
    const none = await agent.call(SEARCH, { query: 'level 3 travel', collection: 'empty', budget_tokens: 500 })
    expect(none.text).toContain('No passage is in this context.')
  })

  it('never answers with more tokens than asked', async () => {
    const budgets = fc.oneof(fc.nat(150), fc.nat(4_000))
    const queries = fc.constantFrom('level 3 travel', 'journey', 'the of and', '🛫 threshold "quoted" {json}')
    await fc.assert(
      fc.asyncProperty(queries, budgets, fc.boolean(), async (query, budget_tokens, fails) => {
        const { text } = await agent.call(SEARCH, { query, collection: fails ? 'none' : 'docs', budget_tokens })
        expect(countTokens(text)).toBeLessThanOrEqual(budget_tokens)
        const { text: why } = await agent.call('explain_trace', { trace_id: traceIdIn(text) || 'none', budget_tokens })
        expect(countTokens(why)).toBeLessThanOrEqual(budget_tokens)
      }),
      { numRuns: 12 },
    )
  })

  it('answers two clients at once that use the same ids of requests', async () => {
    const other = await connectOverHttp(stowage.url)
    const asked = [agent, other].flatMap(one =>
      [1, 2, 3].map(limit => one.call(SEARCH, { query: 'travel', collection: 'docs', limit })),
    )
    const texts = (await Promise.all(asked)).map(({ text }) => Number(/(\d+) passages?/u.exec(text)?.[1]))
    expect(texts).toEqual([1, 2, 3, 1, 2, 3])
    await other.close()
  })

  it('asks Qdrant for the same as /v1/context does', async () => {
    const engine = await openStowage()
    await fill(engine.url, 'docs', travel)
    const inFront = await openStowage({ MCP: 'on', QDRANT_URL: engine.url })
    const client = await connectOverHttp(inFront.url)
    const requestsOf = async (work: () => Promise<unknown>) => {
      const before = engine.answered.length
      await work()
      return engine.answered.slice(before).map(({ request }) => request)
    }
    const question = { query: 'level 3 travel', collection: 'docs' }
    // The first request also reads what the collection is like.
    await inFront.ask(question)
    const plain = await requestsOf(() => inFront.ask(question))
    expect(plain.length).toBeGreaterThan(0)
    expect(await requestsOf(() => client.call(SEARCH, question))).toEqual(plain)
    await client.close()
    await inFront.close()
    await engine.close()
  })

  it('accepts POST only, one message, and no web pages', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    const accept = { accept: 'application/json, text/event-stream' }
    expect((await stowage.send('POST', '/mcp', message, accept)).status).toBe(200)
    expect((await stowage.send('GET', '/mcp', undefined, accept)).status).toBe(405)
    expect((await stowage.send('DELETE', '/mcp')).status).toBe(405)
    expect((await stowage.send('POST', '/mcp', [message, message], accept)).status).toBe(400)
    expect((await stowage.send('POST', '/mcp', '{', accept)).status).toBe(400)
    expect((await stowage.send('POST', '/mcp', message, { ...accept, origin: 'http://evil.example' })).status).toBe(403)
    expect(await statusForHost(stowage.url, 'evil.example')).toBe(403)
    expect(await statusForHost(stowage.url, 'localhost:6433')).toBe(200)
    const large = { ...message, params: { text: 'x'.repeat(5 * 1024 * 1024) } }
    expect((await stowage.send('POST', '/mcp', large, accept)).status).toBe(413)
  })
})

/** `fetch` does not let its caller choose the header `host`. */
function statusForHost(url: string, host: string): Promise<number | undefined> {
  const headers = { host, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  return new Promise((resolve, reject) => {
    const request = openRequest(`${url}/mcp`, { method: 'POST', headers }, response => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  })
}

describe('tenants', () => {
  const OPERATOR = 'operator-key'
  let stowage: Stowage
  let file: Awaited<ReturnType<typeof openTenantsFile>>
  const connect = (key: string, header: 'api-key' | 'authorization' = 'api-key') =>
    connectOverHttp(stowage.url, { [header]: header === 'api-key' ? key : `Bearer ${key}` })
  beforeAll(async () => {
    const open = await openStowage()
    const points = [
      chunk(1, 'The travel limit of acme is 500,000 dollars.', { tenant: 'acme' }),
      chunk(2, 'The travel limit of beta is 300 dollars.', {
        tenant: 'beta',
        context: 'beta only',
        context_version: 'x',
        context_model: 'beta-model',
      }),
    ]
    await fill(open.url, 'docs', points)
    await fill(open.url, 'private-beta', [chunk(3, 'The travel secret of beta.', { tenant: 'beta' })])
    const tenants = declareTenants({ acme: { collections: ['docs'] }, beta: {} })
    file = await openTenantsFile({ ...tenants, operators: [{ sha256: keyHash(OPERATOR) }] })
    stowage = await openStowage({ MCP: 'on', TENANTS_FILE: file.path, QDRANT_URL: open.url })
    upstream = open
  })
  let upstream: Stowage
  afterAll(async () => {
    await stowage.close()
    await upstream.close()
    await file.remove()
  })

  it('need a key', async () => {
    await expect(connectOverHttp(stowage.url)).rejects.toThrow()
    await expect(connect('wrong')).rejects.toThrow()
  })

  it('see their own points, traces and figures, by either header', async () => {
    const [acme, beta] = [await connect('acme'), await connect('beta', 'authorization')]
    const found = await acme.call(SEARCH, { query: 'travel limit', collection: 'docs' })
    expect(found.text).toContain('acme')
    expect(found.text).not.toContain('beta')
    const theirs = await beta.call(SEARCH, { query: 'travel limit', collection: 'docs' })
    expect(theirs.text).not.toContain('acme')
    expect((await acme.call('explain_trace', { trace_id: traceIdIn(theirs.text) })).text).toMatch(/^not_found/u)
    expect((await beta.call('explain_trace', { trace_id: traceIdIn(theirs.text) })).text).toContain('doc-2')
    const figures = await acme.call('get_contextual_retrieval_stats', { collection: 'docs' })
    expect(figures.text).toContain('docs: 0 of 1 points')
    expect(figures.text).not.toContain('beta')
    expect(figures.text).not.toContain('dollars')
    await Promise.all([acme.close(), beta.close()])
  })

  it('learn nothing of collections that are not theirs', async () => {
    const acme = await connect('acme')
    for (const collection of ['private-beta', 'not-there']) {
      for (const name of [SEARCH, 'get_contextual_retrieval_stats']) {
        const { text, isError } = await acme.call(name, {
          query: 'x',
          collection,
          ...(name === SEARCH ? {} : { query: undefined }),
        })
        expect([isError, text]).toEqual([true, 'forbidden: This collection is not allowed.'])
      }
    }
    await acme.close()
  })

  it('have no tools of operators, and may not send texts to a model that they did not allow', async () => {
    const acme = await connect('acme')
    expect(await acme.names()).toEqual(TOOL_NAMES.slice(0, 4))
    await expect(acme.call('reindex_with_context', { collection: 'docs' })).rejects.toThrow('There is no tool')
    await acme.close()
  })

  it('leave jobs to operators, who read no passages', async () => {
    const operator = await connect(OPERATOR)
    expect(await operator.names()).toEqual(TOOL_NAMES.slice(2))
    const dry = await operator.call('reindex_with_context', { collection: 'docs', dry_run: true })
    expect(dry.text).toContain('2 points')
    await operator.close()
  })
})

describe('without the setting', () => {
  it('the path is one of Qdrant', async () => {
    const stowage = await openStowage()
    const { status, text } = await stowage.send('POST', '/mcp', {})
    expect([status, text]).toEqual([(await stowage.send('POST', '/other', {})).status, text])
    expect(status).toBe(404)
    await stowage.close()
  })
})

import { once } from 'node:events'
import http, { type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { getEncoding } from 'js-tiktoken'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { OWN_ROUTES } from '../../src/http/description/own-routes.ts'
import { RELAY_PATHS } from '../../src/relay/paths.ts'
import { ROUTES } from '../../src/tenants/guard/routes/table.ts'
import { send } from '../support/send.ts'
import { createStage } from '../support/stage.ts'
import { createFakeEndpoint } from './support/fake-endpoint.ts'
import { serveRelay } from './support/relay-stage.ts'
import { scaled, vectorOf } from './support/vectors.ts'

const stage = createStage()
afterEach(() => stage.close())

async function open(prefixes: string[] = []) {
  const endpoint = createFakeEndpoint()
  const relay = await serveRelay(stage, await stage.listen(endpoint.server), { prefixes })
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    send<Record<string, never>>(relay.url, 'POST', path, body, headers)
  return { ...relay, ...endpoint, post }
}

it('no path collides with a route of stowage or of Qdrant', () => {
  const own = Object.keys(OWN_ROUTES).map(route => route.replace(/^\w+ /, ''))
  expect(Object.keys(RELAY_PATHS).filter(path => own.includes(path))).toEqual([])
  const first = (path: string) => path.split('/')[1]
  expect(new Set(own.map(first)).has('api')).toBe(false)
  const ofQdrant = new Set(ROUTES.map(({ path }) => first(path)))
  expect(ofQdrant.has('collections')).toBe(true)
  expect(Object.keys(RELAY_PATHS).filter(path => ofQdrant.has(first(path)))).toEqual([])
})

describe('the client of OpenAI', () => {
  const clientOf = (url: string) => new OpenAI({ apiKey: 'sk-secret', baseURL: `${url}/v1`, maxRetries: 0 })

  it('embeds, and its vectors find the questions', async () => {
    const { url, questionOf, asked } = await open()
    const client = clientOf(url)
    // It asks for base64 by itself.
    const { data } = await client.embeddings.create({ model: 'text-embedding-3-small', input: ['who?', 'what?'] })
    expect(asked[0]?.headers.authorization).toBe('Bearer sk-secret')
    data.sort((one, other) => one.index - other.index)
    expect(await Promise.all(data.map(({ embedding }) => questionOf(embedding)))).toEqual(['who?', 'what?'])
    const floats = await client.embeddings.create({ model: 'm', input: 'why?', encoding_format: 'float' })
    expect(await questionOf(floats.data[0]?.embedding ?? [])).toBe('why?')
    const short = await client.embeddings.create({ model: 'm', input: 'how?', dimensions: 70 })
    expect(await questionOf(short.data[0]?.embedding ?? [])).toBe('how?')
  })

  it('streams a chat and gets errors over the same base URL', async () => {
    const client = clientOf((await open()).url)
    const stream = await client.chat.completions.create({
      model: 'm',
      messages: [{ role: 'user', content: 'x' }],
      stream: true,
    })
    let said = ''
    for await (const part of stream) said += part.choices[0]?.delta.content ?? ''
    expect(said).toBe('tobe')
    await expect(client.moderations.create({ input: 'x' })).rejects.toMatchObject({ status: 404 })
  })
})

describe('every shape is remembered', () => {
  const vector = vectorOf('who?')
  const ids = getEncoding('cl100k_base').encode('who?')
  it.each<[string, string, object]>([
    ['OpenAI: a text', '/v1/embeddings', { input: 'who?' }],
    ['OpenAI: texts', '/v1/embeddings', { input: ['other', 'who?'] }],
    ['OpenAI: base64', '/v1/embeddings', { input: 'who?', encoding_format: 'base64' }],
    ['OpenAI: token ids', '/v1/embeddings', { model: 'text-embedding-3-small', input: ids }],
    ['LangChain in Python: lists of token ids', '/v1/embeddings', { model: 'text-embedding-ada-002', input: [ids] }],
    ['a gateway', '/v1/embeddings', { model: 'openai/text-embedding-3-large', input: [ids] }],
    ['a future model of OpenAI', '/v1/embeddings', { model: 'text-embedding-9', input: ids }],
    ['Voyage AI: a query', '/v1/embeddings', { input: ['who?'], input_type: 'query' }],
    ['Voyage AI: no type', '/v1/embeddings', { input: ['who?'], input_type: null }],
    ['Ollama: a text', '/api/embed', { input: 'who?' }],
    ['Ollama: texts', '/api/embed', { input: ['who?'] }],
    ['Ollama, formerly', '/api/embeddings', { prompt: 'who?' }],
    ['Cohere', '/v2/embed', { texts: ['who?'], input_type: 'search_query', embedding_types: ['float'] }],
    ['Cohere: base64', '/v2/embed', { texts: ['who?'], input_type: 'search_query', embedding_types: ['base64'] }],
    ['Cohere: several types', '/v2/embed', { texts: ['who?'], embedding_types: ['int8', 'float', 'base64'] }],
    ['Cohere, formerly', '/v1/embed', { texts: ['who?'] }],
    ['E5', '/v1/embeddings', { input: 'query: who?' }],
    ['BGE', '/api/embed', { input: 'Represent this sentence for searching relevant passages: who?' }],
  ])('%s', async (_name, path, body) => {
    const { post, questionOf, noticed } = await open()
    for (const target of [path, `${path}?coding=gzip`, `${path}?coding=deflate`, `${path}?coding=br`, `${path}/`]) {
      const { status } = await post(target, body)
      if (target.endsWith('/')) expect(status).toBe(404)
      else {
        expect(status).toBe(200)
        const embedded =
          'input' in body && /^(?:query|Represent)/.test(String(body.input)) ? vectorOf(String(body.input)) : vector
        expect(await questionOf(embedded)).toBe('who?')
        expect(await questionOf(scaled(embedded.slice(0, 64)))).toBe('who?')
      }
    }
    // From the second on, the question is known already, and what was noticed comes after the answer.
    await expect.poll(() => noticed.map(({ outcome }) => outcome)).toEqual(Array(4).fill('remembered'))
  })

  it('also when the request is compressed, and with the prefix of the configuration', async () => {
    const { post, questionOf } = await open(['Q> '])
    const body = gzipSync(JSON.stringify({ input: 'Q>  who?' }))
    // The fake endpoint does not undo the coding, so it answers 400, and nothing is remembered.
    expect((await post('/v1/embeddings', body, { 'content-encoding': 'gzip' })).status).toBe(400)
    await post('/v1/embeddings', { input: 'Q>  who?' })
    expect(await questionOf(vectorOf('Q>  who?'))).toBe('who?')
  })
})

it.each([
  ['gzip, deflate, br, of-tomorrow', 'gzip, deflate, br'],
  ['of-tomorrow;q=1.0, gzip;q=0.5', 'gzip;q=0.5'],
  ['of-tomorrow', 'identity'],
  ['gzip, *;q=0.1', 'gzip, *;q=0.1'],
  ['GZIP ;q=0', 'GZIP ;q=0'],
])('asks for %j what stowage can read, where it reads: %j', async (sent, passed) => {
  const { url, asked } = await open()
  for (const path of ['/v1/embeddings', '/v1/chat/completions'])
    await new Promise<void>(resolve => {
      const request = http.request(url + path, { method: 'POST', headers: { 'accept-encoding': sent } })
      request.once('response', answer => answer.resume().once('end', resolve)).end('{"input":"who?","messages":[]}')
    })
  expect(asked.map(({ headers }) => headers['accept-encoding'])).toEqual([passed, sent])
})

it('a search that comes while the answer is still being decoded waits for it', async () => {
  const { server } = createFakeEndpoint({ dimensions: 1_000 })
  const { url, questionOf } = await serveRelay(stage, await stage.listen(server))
  const input = Array.from({ length: 16 }, (_, at) => `question ${at}`)
  const vector = vectorOf('question 15', 1_000)
  // It does not decode the answer, so it is faster than stowage.
  const request = http.request(`${url}/v1/embeddings?coding=gzip`, { method: 'POST' }).end(JSON.stringify({ input }))
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  await once(answer.resume(), 'end')
  expect(await questionOf(vector)).toBe('question 15')
})

describe('is not remembered', () => {
  it.each<[string, string, object | string]>([
    ['a document', '/v1/embeddings', { input: 'who?', input_type: 'document' }],
    ['a document of Cohere', '/v2/embed', { texts: ['who?'], input_type: 'search_document' }],
    ['a text to classify', '/v2/embed', { texts: ['who?'], input_type: 'classification' }],
    ['a passage of Jina', '/v1/embeddings', { input: 'who?', task: 'retrieval.passage' }],
    ['a passage of E5', '/v1/embeddings', { input: 'passage: who?' }],
    ['more than 16 inputs', '/v1/embeddings', { input: Array.from({ length: 17 }, (_, at) => `q${at}`) }],
    ['a long text', '/v1/embeddings', { input: 'x'.repeat(8_193) }],
    ['an empty text', '/v1/embeddings', { input: ' ' }],
    ['token ids of a model that is not known', '/v1/embeddings', { model: 'mistral-embed', input: [1, 2] }],
    ['token ids that are no text', '/v1/embeddings', { model: 'text-embedding-3-small', input: [94] }],
    ['types that are rounded', '/v2/embed', { texts: ['who?'], embedding_types: ['int8', 'ubinary'] }],
  ])('%s', async (_name, path, body) => {
    const { post, memory, noticed } = await open()
    expect((await post(path, body)).status).toBe(200)
    await expect.poll(() => noticed).toHaveLength(1)
    expect(memory.size).toBe(0)
  })

  it('an answer that is not what it should be, and the client gets it all the same', async () => {
    const bodies = [
      '',
      '{}',
      '[',
      '{"data":[]}',
      '{"data":[{"embedding":"!"}]}',
      '{"data":[{"embedding":[null,"a"]}]}',
      'null',
    ]
    let at = 0
    const upstream = await stage.listen(http.createServer((_request, response) => void response.end(bodies[at++])))
    const { url, memory, noticed } = await serveRelay(stage, upstream)
    for (const body of bodies) expect((await send(url, 'POST', '/v1/embeddings', { input: 'q' })).text).toBe(body)
    await expect.poll(() => noticed.length).toBe(bodies.length)
    expect(memory.size).toBe(0)
    expect(noticed.slice(0, 5)).toEqual(Array(5).fill({ outcome: 'failed', count: 1 }))
  })
})

describe('without tenants', () => {
  it('a question that names a key is found with this key only; others are found by all', async () => {
    const { post, questionOf, asked } = await open()
    await post(
      '/v1/embeddings',
      { input: 'mine?' },
      { 'x-stowage-api-key': 'key-1', 'api-key': 'azure', 'x-other': '1' },
    )
    await post('/v1/embeddings', { input: 'ours?' })
    expect(asked[0]?.headers).toMatchObject({ 'api-key': 'azure', 'x-other': '1' })
    expect(asked[0]?.headers).not.toHaveProperty('x-stowage-api-key')
    expect(await questionOf(vectorOf('mine?'), 'key-1')).toBe('mine?')
    expect(await questionOf(vectorOf('mine?'), 'key-2')).toBeNull()
    expect(await questionOf(vectorOf('mine?'))).toBeNull()
    expect(await questionOf(vectorOf('ours?'), 'key-2')).toBe('ours?')
  })
})

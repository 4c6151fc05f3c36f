import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openStowage, type Stowage } from '../../support/stowage.ts'

let stowage: Stowage
let client: OpenAI
beforeAll(async () => {
  stowage = await openStowage({ EMBEDDER: 'local', EMBEDDINGS_RELAY_URL: 'local' })
  client = new OpenAI({ apiKey: 'any', baseURL: `${stowage.url}/v1`, maxRetries: 0 })
})
afterAll(() => stowage.close())

const post = (body: unknown, headers = {}) => stowage.send('POST', '/v1/embeddings', body, headers)
const create = (body: object) => client.embeddings.create({ model: 'any', input: 'x', ...body })

describe('EMBEDDINGS_RELAY_URL=local', () => {
  it('answers the client of OpenAI with unit vectors, the same as floats and as base64', async () => {
    const [floats, packed] = await Promise.all([
      create({ input: ['Who is Isharoth?', 'What is a keel?'], encoding_format: 'float' }),
      create({ input: ['Who is Isharoth?', 'What is a keel?'] }),
    ])
    expect(floats.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 384],
      [1, 384],
    ])
    expect(packed.data.map(({ embedding }) => Array.from(embedding))).toEqual(
      floats.data.map(({ embedding }) => embedding),
    )
    expect(Math.hypot(...(floats.data[0]?.embedding ?? []))).toBeCloseTo(1, 5)
    expect(floats).toMatchObject({ object: 'list', model: expect.stringContaining('all-MiniLM-L6-v2') })
    expect(floats.usage.prompt_tokens).toBeGreaterThan(5)
  })

  it('knows the question of a search with such a vector, and the documents of many are none', async () => {
    const size = { vectors: { size: 384, distance: 'Cosine' } }
    await stowage.send('PUT', '/collections/docs', size)
    const texts = Array.from({ length: 20 }, (_, at) => `The keel of ship ${at} is made of oak.`)
    const { data } = await create({ input: texts })
    const points = data.map(({ embedding, index }) => ({
      id: index,
      vector: embedding,
      payload: { text: texts[index] },
    }))
    await stowage.send('PUT', '/collections/docs/points?wait=true', { points })
    const search = async (vector: number[] | undefined) => {
      const answer = await stowage.send('POST', '/collections/docs/points/query', { query: vector, limit: 3 })
      return answer.headers.get('x-stowage-degraded') ?? ''
    }
    const question = await create({ input: 'Which keels are of oak?' })
    expect(await search(question.data[0]?.embedding)).toBe('')
    expect(await search(data[3]?.embedding)).toContain('question_unknown')
    const passage = await post({ input: 'A single document', input_type: 'document' })
    expect(await search((passage.json as typeof question).data[0]?.embedding)).toContain('question_unknown')
  })

  it.each<[string, unknown, number, string]>([
    [
      'other dimensions',
      { input: 'x', dimensions: 256 },
      400,
      'dimensions: 256 is not possible; the vectors of this model have 384',
    ],
    ['no input', {}, 400, 'input: must be a text'],
    ['an empty list', { input: [] }, 400, 'input: has 0 texts'],
    ['too many inputs', { input: Array(129).fill('x') }, 400, 'input: has 129 texts; 1 to 128 are possible'],
    ['an empty text', { input: ['a', ''] }, 400, 'input[1]: is empty'],
    ['numbers that are no tokens', { input: [[0.5]] }, 400, 'input: must be'],
    ['token ids of another model', { model: 'other', input: [1, 2] }, 400, 'encoding of the model "other"'],
    ['an unknown encoding', { input: 'x', encoding_format: 'hex' }, 400, 'encoding_format'],
    ['an unknown input type', { input: 'x', input_type: 'classification' }, 400, 'input_type'],
    ['broken JSON', '{"input"', 400, 'not valid JSON'],
    ['no object', '[]', 400, 'body'],
    ['5 MB', { input: 'x'.repeat(5_000_000) }, 413, 'longer than'],
  ])('answers %s in the shape of OpenAI', async (_name, body, status, message) => {
    const answer = await post(body)
    expect([answer.status, answer.json]).toEqual([
      status,
      {
        error: {
          message: expect.stringContaining(message),
          type: 'invalid_request_error',
          param: expect.toSatisfy(() => true),
          code: null,
        },
      },
    ])
  })

  it('takes token ids of a model of OpenAI, dimensions as they are, and 100 kB of one character', async () => {
    const byIds = await post({ model: 'text-embedding-3-small', input: [[15339, 1917]], dimensions: 384 })
    const byText = await post({ input: 'hello world' })
    expect((byIds.json as { data: object }).data).toEqual((byText.json as { data: object }).data)
    expect((await post({ input: 'x'.repeat(100_000) })).status).toBe(200)
  })

  it('answers POST on its one path only', async () => {
    const answer = await stowage.send('GET', '/v1/embeddings')
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    expect((await stowage.send('POST', '/v1/chat/completions', {})).status).toBe(404)
  })
})

it('asks for the input type when the embedder tells the sides apart, and says that there is none', async () => {
  const told = await openStowage({
    EMBEDDER: 'local',
    EMBEDDINGS_RELAY_URL: 'local',
    EMBEDDING_QUERY_PREFIX: 'query: ',
  })
  const send = async (body: object) => (await told.send('POST', '/v1/embeddings', { input: 'who?', ...body })).json
  expect(await send({})).toMatchObject({ error: { param: 'input_type', type: 'invalid_request_error' } })
  const [query, passage] = [await send({ input_type: 'query' }), await send({ input_type: 'document' })]
  expect(query).toMatchObject({ object: 'list' })
  expect(passage).not.toEqual(query)
  await told.close()
  const none = await openStowage({ EMBEDDINGS_RELAY_URL: 'local' })
  const answer = await none.send('POST', '/v1/embeddings', { input: 'who?' })
  expect([answer.status, answer.json]).toEqual([
    503,
    { error: { message: expect.any(String), type: 'server_error', param: null, code: 'embedder_unavailable' } },
  ])
  await none.close()
})

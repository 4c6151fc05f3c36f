import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FindQuestion, findQueryText } from '../../../src/drop-in/query/query-text.ts'
import { understand } from '../../../src/drop-in/query/understand.ts'

async function textOf(body: string, header?: string, findQuestion: FindQuestion | null = null) {
  const [query] = understand(body, { api: 'query', batch: false })
  if (query === undefined) throw new Error('nothing understood')
  const { degraded, ...found } = await findQueryText(header, query, findQuestion)
  return { ...found, degraded: degraded.map(({ code }) => code) }
}

const inference =
  '{"query":{"text":" from inference ","model":"qdrant/bm25"},"filter":{"must":[{"key":"t","match":{"text":"words from filter"}}]}}'
const filterOnly = (filter: unknown) => JSON.stringify({ query: [0.1], filter })

describe('the query text', () => {
  it('comes from the header first, then inference, then the filter', async () => {
    expect(await textOf(inference, 'Wie%20hei%C3%9Ft%20das%3F')).toEqual({
      text: 'Wie heißt das?',
      source: 'header',
      degraded: [],
    })
    expect(await textOf(inference)).toEqual({ text: 'from inference', source: 'inference', degraded: [] })
    expect(await textOf(filterOnly({ must: [{ key: 't', match: { text: 'words from filter' } }] }))).toEqual({
      text: 'words from filter',
      source: 'filter',
      degraded: [],
    })
    expect(await textOf('{"query":[0.1]}')).toEqual({ text: null, source: 'none', degraded: [] })
  })

  describe('asks the relay', () => {
    const hybrid = (filter: object) =>
      JSON.stringify({
        prefetch: [
          { query: [0.5, 1] },
          { query: { indices: [1], values: [1] } },
          { query: { nearest: [5e-1, 1.0, 2] } },
        ],
        query: { fusion: 'rrf' },
        filter,
      })
    const text = { must: [{ key: 't', match: { text: 'words from filter' } }] }
    const knows = (known: number[]): FindQuestion => {
      return async vector => (String(vector) === String(known) ? ' from relay ' : null)
    }

    it('for each dense vector, bare or nearest, after header and inference and before the filter', async () => {
      const fromRelay = { text: 'from relay', source: 'relay', degraded: [] }
      expect(await textOf(hybrid(text), undefined, knows([0.5, 1]))).toEqual(fromRelay)
      expect(await textOf(hybrid(text), undefined, knows([0.5, 1, 2]))).toEqual(fromRelay)
      expect(await textOf(hybrid(text), 'head', knows([0.5, 1]))).toMatchObject({ text: 'head', source: 'header' })
      expect(await textOf(inference, undefined, knows([0.5, 1]))).toMatchObject({ source: 'inference' })
    })

    it('and says so when nobody knows the question, but not when there is no vector to ask for', async () => {
      const unknown = async () => null
      expect(await textOf(hybrid(text), undefined, unknown)).toEqual({
        text: 'words from filter',
        source: 'filter',
        degraded: [],
      })
      const none = { text: null, source: 'none' }
      expect(await textOf(hybrid({}), undefined, unknown)).toEqual({ ...none, degraded: ['question_unknown'] })
      expect(await textOf('{"query":{"indices":[1],"values":[1]}}', undefined, unknown)).toEqual({
        ...none,
        degraded: [],
      })
    })

    it('once for a vector that two prefetches share', async () => {
      const asked: (readonly number[])[] = []
      const twice = '{"prefetch":[{"query":[1,2]},{"query":[1,2],"using":"b"}],"query":{"fusion":"rrf"}}'
      await textOf(twice, undefined, async vector => {
        asked.push(vector)
        return null
      })
      expect(asked).toEqual([[1, 2]])
    })
  })

  it.each(['%', '%zz', '%C3', '%FF', 'caf\u00e9', 'a\u0001'])(
    'ignores a malformed header %j and says so',
    async header => {
      expect(await textOf(inference, header)).toMatchObject({
        text: 'from inference',
        degraded: ['query_header_malformed'],
      })
    },
  )

  it('takes an empty header for none', async () => {
    expect((await textOf(inference, '%20%0A')).text).toBe('from inference')
  })

  it('reads back whatever a client encodes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), async text => {
        fc.pre(text.trim() !== '' && text.isWellFormed())
        expect((await textOf('{"query":[0.1]}', encodeURIComponent(text))).text).toBe(text.trim())
      }),
    )
  })

  it('finds full-text conditions at any depth, each once, but none under must_not', async () => {
    const filter = {
      should: { key: 'a', match: { phrase: 'red fox' } },
      must: [
        { nested: { key: 'n', filter: { must: [{ key: 'b', match: { text_any: 'blue' } }] } } },
        { key: 'a', match: { text: 'red fox' } },
      ],
      must_not: [{ key: 'c', match: { text: 'never' } }],
    }
    expect((await textOf(filterOnly(filter))).text).toBe('red fox blue')
    const without = {
      must: [
        { key: 'a', match: { value: 'text' } },
        { key: 'text', range: { gte: 1 } },
      ],
    }
    expect((await textOf(filterOnly(without))).text).toBeNull()
  })

  it.each(['invoice', 'invoice 2026', ' invoice\n 2026 '])('takes %j in a filter as no question', async text => {
    const none = { text: null, source: 'none', degraded: [] }
    expect(await textOf(filterOnly({ must: [{ key: 't', match: { text } }] }))).toEqual(none)
  })

  it('looks into the filters of prefetches', async () => {
    const body =
      '{"prefetch":[{"query":[0.1],"filter":{"must":[{"key":"t","match":{"text":"words from inside"}}]}}],"query":{"fusion":"rrf"}}'
    expect((await textOf(body)).text).toBe('words from inside')
  })

  it('is bounded, and survives a filter of any depth', async () => {
    expect((await textOf('{"query":[0.1]}', 'a'.repeat(100_000))).text).toHaveLength(8192)
    const depth = 5_000
    const deep = `${'{"must":['.repeat(depth)}{"key":"t","match":{"text":"very deep down"}}${']}'.repeat(depth)}`
    expect((await textOf(`{"query":[0.1],"filter":${deep}}`)).text).toBe('very deep down')
  })
})

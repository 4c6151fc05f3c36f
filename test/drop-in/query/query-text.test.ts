import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findQueryText } from '../../../src/drop-in/query/query-text.ts'
import { understand } from '../../../src/drop-in/query/understand.ts'

function textOf(body: string, header?: string) {
  const [query] = understand(body, { api: 'query', batch: false })
  if (query === undefined) throw new Error('nothing understood')
  return findQueryText(header, query)
}

const inference =
  '{"query":{"text":" from inference ","model":"qdrant/bm25"},"filter":{"must":[{"key":"t","match":{"text":"from filter"}}]}}'
const filterOnly = (filter: unknown) => JSON.stringify({ query: [0.1], filter })

describe('the query text', () => {
  it('comes from the header first, then inference, then the filter', () => {
    expect(textOf(inference, 'Wie%20hei%C3%9Ft%20das%3F')).toEqual({ text: 'Wie heißt das?', degraded: [] })
    expect(textOf(inference)).toEqual({ text: 'from inference', degraded: [] })
    expect(textOf(filterOnly({ must: [{ key: 't', match: { text: 'from filter' } }] }))).toEqual({
      text: 'from filter',
      degraded: [],
    })
    expect(textOf('{"query":[0.1]}')).toEqual({ text: null, degraded: [] })
  })

  it.each(['%', '%zz', '%C3', '%FF', 'caf\u00e9', 'a\u0001'])('ignores a malformed header %j and says so', header => {
    expect(textOf(inference, header)).toEqual({ text: 'from inference', degraded: ['query_header_malformed'] })
  })

  it('takes an empty header for none', () => {
    expect(textOf(inference, '%20%0A').text).toBe('from inference')
  })

  it('reads back whatever a client encodes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), text => {
        fc.pre(text.trim() !== '' && text.isWellFormed())
        expect(textOf('{"query":[0.1]}', encodeURIComponent(text)).text).toBe(text.trim())
      }),
    )
  })

  it('finds full-text conditions at any depth, each once, but none under must_not', () => {
    const filter = {
      should: { key: 'a', match: { phrase: 'red fox' } },
      must: [
        { nested: { key: 'n', filter: { must: [{ key: 'b', match: { text_any: 'blue' } }] } } },
        { key: 'a', match: { text: 'red fox' } },
      ],
      must_not: [{ key: 'c', match: { text: 'never' } }],
    }
    expect(textOf(filterOnly(filter)).text).toBe('red fox blue')
    expect(
      textOf(
        filterOnly({
          must: [
            { key: 'a', match: { value: 'text' } },
            { key: 'text', range: { gte: 1 } },
          ],
        }),
      ).text,
    ).toBeNull()
  })

  it('looks into the filters of prefetches', () => {
    const body =
      '{"prefetch":[{"query":[0.1],"filter":{"must":[{"key":"t","match":{"text":"inside"}}]}}],"query":{"fusion":"rrf"}}'
    expect(textOf(body).text).toBe('inside')
  })

  it('is bounded, and survives a filter of any depth', () => {
    expect(textOf('{"query":[0.1]}', 'a'.repeat(100_000)).text).toHaveLength(8192)
    const depth = 5_000
    const deep = `${'{"must":['.repeat(depth)}{"key":"t","match":{"text":"deep"}}${']}'.repeat(depth)}`
    expect(textOf(`{"query":[0.1],"filter":${deep}}`).text).toBe('deep')
  })
})

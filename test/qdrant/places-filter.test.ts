import { expect, it } from 'vitest'
import { placesFilter } from '../../src/qdrant/places-filter.ts'

const fields = { documentField: 'metadata.source', orderField: 'metadata.chunk-index' }

it('names each document once, by its value as it is stored', () => {
  const filter = placesFilter([
    { ...fields, document: '7', orderIndex: 1 },
    { ...fields, document: 7, orderIndex: 2 },
    { ...fields, document: '7', orderIndex: 3 },
    { ...fields, document: 18446744073709551615n, orderIndex: 0 },
  ])
  const one = (value: unknown, any: number[]) => ({
    must: [
      { key: 'metadata.source', match: { value } },
      { key: 'metadata.chunk-index', match: { any } },
    ],
  })
  expect(filter).toEqual({ should: [one('7', [1, 3]), one(7, [2]), one(18446744073709551615n, [0])] })
})

it.each([
  ['a value that Qdrant does not match', { document: 1.5 }],
  ['a value that is none', { document: undefined }],
  ['a list', { document: ['d'] }],
  ['a path that needs quotes', { documentField: 'my source' }],
  ['an order that needs quotes', { orderField: 'a[]' }],
])('leaves out %s', (_name, over) => {
  const fine = { ...fields, document: 'd', orderIndex: 1 }
  expect(placesFilter([{ ...fine, ...over }])).toBeNull()
  expect(placesFilter([{ ...fine, ...over }, fine])).toEqual(placesFilter([fine]))
})

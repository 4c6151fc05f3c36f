import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEachToken, createEachWord } from '../../../../src/adapters/models/late-interaction/words.ts'
import { loadRuntime } from '../../../../src/adapters/models/onnx/runtime.ts'

const runtime = loadRuntime()

/** Ids [passages, tokens] within a larger buffer, as those of a batch are. */
function tensorOf(rows: number[][]) {
  const ids = BigInt64Array.from([7, ...rows.flat(), 9], BigInt)
  return new runtime.Tensor('int64', ids.subarray(1, ids.length - 1), [rows.length, rows[0]?.length ?? 0])
}

/** The id of each token, by its place among the words. */
function restored({ ids, places }: ReturnType<ReturnType<typeof createEachWord>>): number[] {
  return Array.from(places.data, Number).map(place => Number(ids.data[place]))
}

const rows = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 40 })).chain(([passages, tokens]) =>
  fc.array(fc.array(fc.oneof(fc.nat(5), fc.nat(300_000)), { minLength: tokens, maxLength: tokens }), {
    minLength: passages,
    maxLength: passages,
  }),
)

it('has each different token once, and its place for each token, call after call', () => {
  const eachWord = createEachWord(runtime)
  fc.assert(
    fc.property(rows, rows => {
      const ids = tensorOf(rows)
      const words = eachWord(ids)
      expect(restored(words)).toEqual(rows.flat())
      expect(words.places.dims).toEqual(ids.dims)
      expect(words.ids.dims).toEqual([1, new Set(rows.flat()).size])
      expect(new Set(Array.from(words.ids.data, Number)).size).toBe(words.ids.data.length)
    }),
  )
})

it('has each token for itself', () => {
  const eachToken = createEachToken(runtime)
  const words = eachToken(
    tensorOf([
      [5, 5, 8],
      [5, 0, 0],
    ]),
  )
  expect(Array.from(words.ids.data, Number)).toEqual([5, 5, 8, 5, 0, 0])
  expect(Array.from(words.places.data, Number)).toEqual([0, 1, 2, 3, 4, 5])
  expect(words.ids.dims).toEqual([1, 6])
  expect(words.places.dims).toEqual([2, 3])
})

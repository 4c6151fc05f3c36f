import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { documentKey, placeKey, pointKey, sectionKey } from '../../src/core/keys.ts'
import type { PointId } from '../../src/core/types.ts'

/** Names that contain separators. */
const name = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', '/', '"', ',', '\\', '%', '[', '2F'), maxLength: 6 }),
  fc.string(),
)
const orderIndex = fc.option(fc.nat(3))
const id: fc.Arbitrary<PointId> = fc.oneof(
  fc.nat(),
  fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n - 1n }),
  fc.uuid(),
  name,
)
const part = fc.record({ collection: name, docId: name, sectionPath: name, orderIndex })

function expectInjective<Value>(
  values: fc.Arbitrary<Value>,
  partsOf: (value: Value) => unknown[],
  keyOf: (value: Value) => string,
) {
  fc.assert(
    fc.property(values, values, (left, right) => {
      expect(keyOf(left) === keyOf(right)).toBe(partsOf(left).every((value, index) => value === partsOf(right)[index]))
    }),
    { numRuns: 2000 },
  )
}

describe('keys', () => {
  it('differ for different points, whatever their names contain', () => {
    expectInjective(fc.record({ collection: name, id }), ({ collection, id }) => [collection, String(id)], pointKey)
    expect(pointKey({ collection: 'a', id: 'b/c' })).not.toBe(pointKey({ collection: 'a/b', id: 'c' }))
    expect(pointKey({ collection: 'a', id: 'b/c' })).not.toBe(pointKey({ collection: 'a', id: 'b%2Fc' }))
  })

  it('write a point as in traces', () => {
    const uuid = '5c0d2f8e-0a75-4d7e-9d53-0e3b5f6f1a11'
    expect(pointKey({ collection: 'docs', id: uuid })).toBe(`docs/${uuid}`)
    expect(pointKey({ collection: 'docs', id: 2n ** 64n - 1n })).toBe('docs/18446744073709551615')
  })

  it('differ for different documents, sections and places, whatever their names contain', () => {
    expectInjective(part, ({ collection, docId }) => [collection, docId], documentKey)
    expectInjective(part, ({ collection, docId, sectionPath }) => [collection, docId, sectionPath], sectionKey)
    expectInjective(part, ({ collection, docId, orderIndex }) => [collection, docId, orderIndex], placeKey)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { parseJsonBody } from '../../../src/http/body/json-body.ts'
import { printJson } from '../../../src/qdrant/json.ts'

/** JSON values with strings full of brackets, quotes and backslashes. */
const json = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(
      fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'a', '\u2028', 'é') }),
      fc.integer(),
      fc.constant(null),
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.string({ unit: fc.constantFrom('[', '{', '"', '\\', 'k') }), tie('value'), { maxKeys: 3 }),
  ),
})).value

function naiveDepth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(naiveDepth))
}

/** The field that is refused as nested too deep; null when the text is accepted. */
function deepFieldOf(text: string, maxDepth: number): string | null {
  try {
    parseJsonBody(Buffer.from(text), maxDepth)
    return null
  } catch (error) {
    const [fault] = (error as { details: { field: string }[] }).details
    return fault?.field ?? null
  }
}

test('the field nested too deep is the first that a naive count finds', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 4 }), fc.nat(4), (object, maxDepth) => {
      const text = JSON.stringify(object)
      // Keys like integers move to the front when an object is made: the text's order is what counts.
      const inOrder = Object.entries(JSON.parse(text))
      const expected = inOrder.find(([, value]) => naiveDepth(value) > maxDepth)?.[0] ?? null
      expect(deepFieldOf(text, maxDepth)).toBe(expected)
    }),
  )
})

test('bytes that are no JSON are taken without harm', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      try {
        parseJsonBody(Buffer.from(bytes), 3)
      } catch (error) {
        expect(error).toBeInstanceOf(StowageError)
      }
    }),
  )
})

test('any JSON survives reading and printing', () => {
  fc.assert(
    fc.property(json, value => {
      expect(parseJsonBody(Buffer.from(printJson(value)), 50)).toEqual(value)
    }),
  )
})

describe('numbers', () => {
  test('beyond 2^53 keep their digits, whatever stands around them', () => {
    const read = (text: string) => parseJsonBody(Buffer.from(text), 3)
    expect(read('{"a": 18446744073709551615 , "b":[9007199254740993,1]}')).toEqual({
      a: 18446744073709551615n,
      b: [9007199254740993n, 1],
    })
  })

  test('that are broken are refused with the place or the text', () => {
    expect(() => parseJsonBody(Buffer.from('{"a": 0123456789012345678}'), 3)).toThrow('The body is not valid JSON')
  })
})

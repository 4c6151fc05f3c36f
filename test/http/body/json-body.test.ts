import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { StowageError } from '../../../src/core/errors.ts'
import { parseJsonBody, printJson } from '../../../src/http/body/json-body.ts'
import { fieldNestedBeyond } from '../../../src/qdrant/json-nesting.ts'

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

test('the field nested too deep is the first that a naive count finds', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ maxLength: 5 }), json, { maxKeys: 4 }), fc.nat(4), (object, maxDepth) => {
      const text = JSON.stringify(object)
      // Keys like integers move to the front when an object is made: the text's order is what counts.
      const inOrder = Object.entries(JSON.parse(text))
      const expected = inOrder.find(([, value]) => naiveDepth(value) > maxDepth)?.[0] ?? null
      expect(fieldNestedBeyond(Buffer.from(text), maxDepth)).toBe(expected)
    }),
  )
})

test('bytes that are no JSON are taken without harm', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      fieldNestedBeyond(Buffer.from(bytes), 3)
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
  test.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['18446744073709551615', 18446744073709551615n],
    ['-9007199254740993', -9007199254740993n],
    ['184467440737095516150', Number('184467440737095516150')],
    ['1e999', Number.POSITIVE_INFINITY],
    ['0.12345678901234567', Number('0.12345678901234567')],
    ['12345678901234567.0', Number('12345678901234567')],
  ])('%s', (spelled, value) => {
    const read = (text: string) => parseJsonBody(Buffer.from(text), 3)
    expect(read(spelled)).toBe(value)
    expect(read(`[1,\n${spelled}]`)).toEqual([1, value])
    expect(read(`{"a": ${spelled} , "b":[${spelled},1]}`)).toEqual({ a: value, b: [value, 1] })
  })

  test('a long one changes nothing about the rest', () => {
    const text = '{"a":1,"a":2,"__proto__":{"b":"12345678901234567890"},"id":12345678901234567890}'
    const value = parseJsonBody(Buffer.from(text), 3)
    expect(Object.keys(value as object)).toEqual(['a', '__proto__', 'id'])
    expect(printJson(value)).toBe('{"a":2,"__proto__":{"b":"12345678901234567890"},"id":12345678901234567890}')
  })
})

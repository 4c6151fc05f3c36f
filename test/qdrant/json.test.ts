import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, printJson } from '../../src/qdrant/json.ts'

/** JSON values whose integers go up to u64; those beyond 2^53 are bigint. */
const json = fc.letrec(tie => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(n => (Number.isInteger(n) ? 0.5 : n)),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(n => (n > BigInt(Number.MAX_SAFE_INTEGER) ? n : Number(n))),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter(key => key !== '__proto__'),
      tie('value'),
      { maxKeys: 4, noNullPrototype: true },
    ),
  ),
})).value

describe('JSON with u64', () => {
  it('reads back what was printed', () => {
    fc.assert(
      fc.property(json, value => {
        expect(parseJson(printJson(value))).toEqual(value)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['18446744073709551615', 18446744073709551615n],
    ['-9223372036854775808', -9223372036854775808n],
    ['184467440737095516150', Number('184467440737095516150')],
    ['1e999', Number.POSITIVE_INFINITY],
    ['12345678901234567.0', Number('12345678901234567')],
  ])('reads %s', (spelled, value) => {
    expect(parseJson(spelled)).toBe(value)
    expect(parseJson(`[1,\n${spelled}]`)).toEqual([1, value])
    expect(parseJson(`{"a": ${spelled} , "b":[${spelled},1]}`)).toEqual({ a: value, b: [value, 1] })
  })

  it('lets the last of doubled keys win, with a long number as without one', () => {
    const text = '{"a":1,"a":2,"__proto__":{"b":"12345678901234567890"},"id":12345678901234567890}'
    expect(printJson(parseJson(text))).toBe(
      '{"a":2,"__proto__":{"b":"12345678901234567890"},"id":12345678901234567890}',
    )
    expect(parseJson('{"a":12345678901234567890,"a":2}')).toEqual({ a: 2 })
  })

  it('takes linear time for megabytes of digits and blanks', () => {
    const started = performance.now()
    expect(parseJson(`[${'9'.repeat(2e6)}]`)).toEqual([Number.POSITIVE_INFINITY])
    expect(parseJson(`[12345678901234567${' '.repeat(2e6)}]`)).toEqual([12345678901234567n])
    // Long texts of digits that stand in no place of a value.
    expect(parseJson(`["${'1 '.repeat(1e6)}"]`)).toHaveLength(1)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('says what is wrong as JSON.parse does', () => {
    expect(() => parseJson('{"id":12345678901234567890')).toThrow(SyntaxError)
  })

  it('prints what JSON has no word for as null', () => {
    expect(printJson(undefined)).toBe('null')
    expect(printJson({ a: undefined, b: 1n, c: Number.NaN })).toBe('{"b":1,"c":null}')
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { float32, parseJson, printJson, wholeFloat } from '../../src/embedded/wire/json.ts'

describe('JSON with every digit', () => {
  it('keeps u64 ids, whole floats and key order through a round trip', () => {
    const text =
      '{"b":18446744073709551615,"a":[9007199254740993,-9223372036854775808,5.0,-0.5,1e16,1.5e-7,0,null,true],"":"\\u2028"}'
    expect(printJson(parseJson(text))).toBe(text.replace('\\u2028', '\u2028'))
    expect(parseJson('[5.0, 1e3, 5, 100000000000000000000]')).toEqual([
      wholeFloat(5),
      wholeFloat(1000),
      5,
      wholeFloat(1e20),
    ])
  })

  it('prints what parses to the same value, for any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        const plain: unknown = JSON.parse(JSON.stringify(value))
        expect(JSON.parse(printJson(parseJson(JSON.stringify(plain))))).toEqual(plain)
      }),
    )
  })

  it('keeps a member named __proto__ a member', () => {
    for (const number of ['1', '1.0']) {
      const text = `{"__proto__":{"x":${number}},"constructor":${number}}`
      expect(printJson(parseJson(text))).toBe(text)
    }
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('refuses what is malformed, out of range or too deep', () => {
    expect(() => parseJson('{"a":\n  nan}')).toThrow(/^Format error in JSON body: .*'a'/)
    expect(() => parseJson('{"a":[1,2')).toThrow(/^Format error in JSON body: .*JSON/)
    expect(() => parseJson('[1e999]')).toThrow('number out of range')
    expect(() => parseJson('[1.0,1e999]')).toThrow('number out of range')
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(printJson(parseJson(nested(128)))).toBe(nested(128))
    const whole = `${'['.repeat(128)}1.0${']'.repeat(128)}`
    expect(printJson(parseJson(whole))).toBe(whole)
    expect(() => parseJson(nested(129))).toThrow('recursion limit exceeded')
    expect(() => parseJson(nested(300_000))).toThrow('recursion limit exceeded')
    expect(() => parseJson(`[1.0,${nested(300_000)}]`)).toThrow('recursion limit exceeded')
  })

  it('reads a megabyte of digits or blanks without stalling', () => {
    expect(() => parseJson(`[${'9'.repeat(1e6)}]`)).toThrow('number out of range')
    expect(parseJson(`[1${' '.repeat(1e6)}]`)).toEqual([1])
    expect(parseJson(`["${'1 '.repeat(5e5)}"]`)).toHaveLength(1)
  })
})

describe('floats in answers', () => {
  it('are printed as Qdrant does, float32 and float64 each by its own bounds', () => {
    expect(printJson([float32(Math.fround(5e-6)), 5e-6, wholeFloat(5)])).toBe('[0.000005,5e-6,5.0]')
    expect(printJson(Float32Array.of(1, 5 / 6, 1e15))).toBe('[1.0,0.8333333,1e15]')
    expect(printJson({ score: float32(Number.POSITIVE_INFINITY) })).toBe('{"score":null}')
  })
})

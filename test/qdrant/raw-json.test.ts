import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { elements, endOfValue, kindOf, members, RawJsonError } from '../../src/qdrant/raw-json.ts'

/** JSON values printed with random space between the tokens. */
const spacedJson = fc
  .tuple(fc.json({ maxDepth: 5 }), fc.array(fc.constantFrom('', ' ', '\n', '\t', '\r', '  '), { minLength: 1 }))
  .map(([json, spaces]) => {
    let turn = 0
    const space = () => spaces[turn++ % spaces.length] ?? ''
    return json.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^"[\]{},:\s]+/g, token => space() + token + space())
  })

/** JSON with a few characters damaged: mostly broken, sometimes still valid. */
const damagedJson = fc
  .tuple(
    spacedJson,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', 'e', '.', '\u0001', 'n', ' '),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([json, damages]) =>
    damages.reduce((text, [place, character]) => {
      const at = place % (text.length + 1)
      return text.slice(0, at) + character + text.slice(at + (place % 2))
    }, json),
  )

function parses(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function scans(text: string): boolean {
  try {
    elements(`[${text}]`)
    return elements(`[${text}]`).length === 1 && elements(`[[${text}],0]`).length === 2
  } catch (error) {
    if (error instanceof RawJsonError) return false
    throw error
  }
}

describe('raw JSON', () => {
  it('accepts exactly what JSON.parse accepts', () => {
    let valid = 0
    let broken = 0
    fc.assert(
      fc.property(fc.oneof(damagedJson, spacedJson, fc.string()), text => {
        const single = parses(`[${text}]`) && JSON.parse(`[${text}]`).length === 1 && parses(text)
        if (single) valid++
        else broken++
        expect(scans(text)).toBe(single)
      }),
      { numRuns: 3000 },
    )
    expect(Math.min(valid, broken)).toBeGreaterThan(300)
  })

  it('cuts objects and arrays into the parts that JSON.parse finds', () => {
    fc.assert(
      fc.property(spacedJson, text => {
        const value: unknown = JSON.parse(text)
        const raw = text.trim()
        if (Array.isArray(value)) {
          expect(kindOf(raw)).toBe('array')
          expect(elements(text).map(part => JSON.parse(part))).toEqual(value)
        } else if (typeof value === 'object' && value !== null) {
          expect(kindOf(raw)).toBe('object')
          const parts = [...members(text)].map(([key, part]) => [key, JSON.parse(part)] as const)
          expect(new Map(parts)).toEqual(new Map(Object.entries(value)))
        } else {
          expect(kindOf(raw)).toBe(value === null ? 'null' : typeof value)
          expect(() => members(text)).toThrow(RawJsonError)
          expect(() => elements(text)).toThrow(RawJsonError)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('keeps the spelling of every number and string', () => {
    const body = '{ "id" : 18446744073709551615 ,"x":5.0,"y":-0.0e+00, "t":"\\u00e9\\/\\"" , "deep":[ [1.50] ] }'
    expect(Object.fromEntries(members(body))).toEqual({
      id: '18446744073709551615',
      x: '5.0',
      y: '-0.0e+00',
      t: '"\\u00e9\\/\\""',
      deep: '[ [1.50] ]',
    })
  })

  it('reads escaped keys and refuses duplicates, however they are spelt', () => {
    expect([...members('{"\\u0061\\n":1,"__proto__":2}').keys()]).toEqual(['a\n', '__proto__'])
    expect(() => members('{"a":1,"\\u0061":2}')).toThrow(/duplicate key "a"/)
  })

  it.each([
    '',
    ' ',
    '{',
    '[',
    '[1',
    '[1,]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1]x',
    '{"a":1}}',
    '["\u0001"]',
    '["\\x"]',
    '[01]',
    '[.5]',
    '[1.]',
    '[+1]',
    '["\\ud8"]',
    '\ufeff[]',
    '[\u00a01]',
    '[nul]',
    '[truefalse]',
  ])('refuses %j', text => {
    expect(parses(text)).toBe(false)
    expect(() => (text.trimStart().startsWith('{') ? members(text) : elements(text))).toThrow(RawJsonError)
  })

  it('does not overflow on a million levels, closed or not', () => {
    const depth = 1_000_000
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(endOfValue(nested, 0)).toBe(nested.length)
    expect(() => elements('['.repeat(depth))).toThrow(RawJsonError)
    expect(() => members('{"a":'.repeat(depth))).toThrow(RawJsonError)
  })
})

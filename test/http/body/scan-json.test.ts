import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../../src/core/steps.ts'
import { type JsonVisitor, scanJson } from '../../../src/http/body/scan-json.ts'

type Path = readonly (string | number)[]

/** A visitor that enters containers down to a depth and keeps the places of all parts. */
function recorder(depth: number, seen: { path: Path; start: number; end: number }[]): JsonVisitor<Path> {
  return {
    enter: (parent, key, index) => (parent.length + 1 < depth ? [...parent, key || index] : null),
    leave: (parent, key, index, span) => void seen.push({ path: [...parent, key || index], ...span }),
  }
}

function partsOf(text: string, depth: number): [Path, unknown][] {
  const bytes = Buffer.from(text)
  const seen: { path: Path; start: number; end: number }[] = []
  expect(finish(scanJson<Path>(bytes, [], recorder(depth, seen)))).toBe(true)
  return seen.map(({ path, start, end }) => [path, JSON.parse(bytes.toString('utf8', start, end))])
}

/** The same of a parsed value. Its containers come after their parts. */
function naiveParts(value: unknown, depth: number, path: Path = []): [Path, unknown][] {
  if (typeof value !== 'object' || value === null || depth === 0) return []
  const entries = Array.isArray(value) ? value.map((part, i) => [i, part] as const) : Object.entries(value)
  return entries.flatMap(([key, part]) => [
    ...naiveParts(part, depth - 1, [...path, key]),
    [[...path, key], part] as [Path, unknown],
  ])
}

const spaces = fc.constantFrom('', ' ', '\n\t ', '\r\n')
const keys = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.constantFrom('constructor', '"', '\\', '}'))
const { json: value } = fc.letrec(tie => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constantFrom(null, true, false)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('json')), { maxLength: 4 }).map(entries => {
      // Names of numbers would come first, whatever their place in the text.
      return Object.fromEntries(entries.filter(([key]) => !/^\d+$/.test(key) && key !== '__proto__'))
    }),
  ),
}))

describe('a scan of JSON', () => {
  it('finds the parts that JSON.parse finds, as deep as the visitor goes', () => {
    fc.assert(
      fc.property(
        value,
        fc.constantFrom(0, 1, 3),
        spaces,
        fc.integer({ min: 1, max: 5 }),
        (json, indent, space, depth) => {
          const text = `${space}${JSON.stringify(json, null, indent)}${space}`
          expect(partsOf(text, depth)).toEqual(naiveParts(JSON.parse(text), depth))
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it('reads escaped keys, and both of two equal keys', () => {
    expect(partsOf('{"\\u0070oints" : [1], "points":{"a":"]}\\""},"x":"\\\\"}', 1)).toEqual([
      [['points'], [1]],
      [['points'], { a: ']}"' }],
      [['x'], '\\'],
    ])
  })

  it('ends on any bytes, with no more parts than bytes', () => {
    const structure = fc.array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', ' ', '1', 'null'))
    fc.assert(
      fc.property(structure, fc.integer({ min: 1, max: 5 }), (parts, depth) => {
        const bytes = Buffer.from(parts.join(''))
        const seen: unknown[] = []
        const mayBeJson = finish(scanJson<Path>(bytes, [], recorder(depth, seen as [])))
        expect(seen.length).toBeLessThanOrEqual(bytes.length)
        if (!mayBeJson) expect(() => JSON.parse(bytes.toString())).toThrow()
      }),
      { numRuns: 3_000 },
    )
  })

  it.each(['', ' ', '{"a":[1,2]', '{"a":[1,2}', '{"a" 1}', '{"a":}', '{"a":1,}', '[1]]', '[1] 2', '["a'])(
    'knows that it is not JSON: %s',
    text => {
      expect(finish(scanJson(Buffer.from(text), 'root', { enter: () => 'container', leave() {} }))).toBe(false)
    },
  )

  it.each([
    ['one long list', `[[${'1,'.repeat(500_000)}1]]`],
    ['one long text', `["${'\\"'.repeat(500_000)}"]`],
    ['one long key', `{"${'x'.repeat(1_000_000)}":1}`],
    ['brackets', '['.repeat(1_000_000)],
    ['empty objects', `[${'{},'.repeat(300_000)}{}]`],
    ['short keys', `{${'"a":1,'.repeat(200_000)}"a":1}`],
  ])('pauses within %s', (_name, text) => {
    let pauses = 0
    for (const _ of scanJson(Buffer.from(text), 'root', { enter: () => 'container', leave() {} })) pauses++
    expect(pauses).toBeGreaterThan(50)
    expect(pauses).toBeLessThan(200)
  })
})

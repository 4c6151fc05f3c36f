import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonReader } from '../../src/qdrant/json-reader.ts'
import { RawJsonError } from '../../src/qdrant/raw-json.ts'

/** Reads a whole text part by part, as deep as `levels`, and the rest as raw text. */
function readAll(text: string, levels: number): unknown {
  const reader = new JsonReader(text)
  const value = readNext(reader, levels)
  reader.end()
  return value
}

function readNext(reader: JsonReader, levels: number): unknown {
  if (levels > 0 && reader.kind === 'object') {
    const entries: [string, unknown][] = []
    for (const key of reader.members()) entries.push([key, readNext(reader, levels - 1)])
    return Object.fromEntries(entries)
  }
  if (levels > 0 && reader.kind === 'array') {
    const values: unknown[] = []
    for (const _ of reader.elements()) values.push(readNext(reader, levels - 1))
    return values
  }
  return JSON.parse(reader.take())
}

function outcome(read: () => unknown): unknown {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof RawJsonError || error instanceof SyntaxError) return 'refused'
    throw error
  }
}

const spaced = fc
  .tuple(fc.json({ maxDepth: 5 }), fc.constantFrom('', ' ', '\n', '\t\r '))
  .map(([json, space]) => json.replace(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^"[\]{},:\s]+/g, token => space + token + space))
const damaged = fc
  .tuple(
    spaced,
    fc.nat(),
    fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '\u0001', 'n', '\u00a0'),
  )
  .map(([json, place, character]) => {
    const at = place % (json.length + 1)
    return json.slice(0, at) + character + json.slice(at + (place % 2))
  })

describe('a reader of JSON', () => {
  it('reads what JSON.parse reads, at any depth of parts, and refuses what it refuses', () => {
    const outcomes = { value: 0, refused: 0 }
    fc.assert(
      fc.property(fc.oneof(spaced, damaged), fc.integer({ min: 0, max: 4 }), (text, levels) => {
        const parsed = outcome(() => JSON.parse(text))
        const read = outcome(() => readAll(text, levels))
        // JSON.parse takes the last of equal keys.
        if (read === 'refused' && parsed !== 'refused') expect(() => readAll(text, levels)).toThrow(/duplicate key/)
        else expect(read).toEqual(parsed)
        outcomes[read === 'refused' ? 'refused' : 'value']++
      }),
      { numRuns: 1000 },
    )
    expect(Math.min(outcomes.value, outcomes.refused)).toBeGreaterThan(50)
  })

  it('refuses equal keys of one object, in whatever spelling, and takes them in different ones', () => {
    expect(() => readAll('{"a":1,"\\u0061":2}', 1)).toThrow('duplicate key "a"')
    expect(readAll('{"a":{"a":1},"b":{"a":2}}', 2)).toEqual({ a: { a: 1 }, b: { a: 2 } })
    expect(readAll('{"__proto__":1}', 1)).toEqual(JSON.parse('{"__proto__":1}'))
  })

  it('reads 127 containers inside each other, as Qdrant does, and refuses one more', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
    for (const opened of [0, 1, 50, 127]) {
      expect(outcome(() => readAll(deep(127), opened))).not.toBe('refused')
      for (const levels of [128, 1000, 100_000]) expect(outcome(() => readAll(deep(levels), opened))).toBe('refused')
    }
  })

  it('reads on after a container, so that siblings do not count as depth', () => {
    expect(readAll(`[${Array(200).fill('[[]]').join(',')}]`, 3)).toHaveLength(200)
  })
})

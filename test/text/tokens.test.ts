import fc from 'fast-check'
import { Tiktoken } from 'js-tiktoken/lite'
import cl100k from 'js-tiktoken/ranks/cl100k_base'
import o200k from 'js-tiktoken/ranks/o200k_base'
import { describe, expect, it } from 'vitest'
import { longestPrefix } from '../../src/core/prefix.ts'
import { createTokenizer } from '../../src/text/tokens.ts'
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts'

const tokenizer = createTokenizer('gpt-4o-2024-11-20')
const oracle = new Tiktoken(o200k)
const exactly = (text: string): number => oracle.encode(text, [], []).length

const NATURAL = `# Rotating keys

The signing key is rotated every 90 days (or at once, if it leaked). Don't restart: see \`rotate.sh\`.

    const ratio = total === 0 ? 0 : Math.round((part / total) * 10_000) / 100;

| setting | default | unit |
|---------|--------:|------|
| max_segment_size | 200000 | kB |

================================================================
Größe, naïve café, Übermaß. 東京は日本の首都です。Что это? 😀🎉 https://example.org/a/b?c=d#e`

describe('token counts', () => {
  it('equal the library’s own on natural text, per piece and whole', () => {
    expect(tokenizer.count(NATURAL)).toBe(exactly(NATURAL))
    const line = fc.constantFrom(...NATURAL.split('\n'))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), lines => {
        const text = lines.join('\n')
        expect(tokenizer.count(text)).toBe(exactly(text))
      }),
    )
  })

  it('equal the library’s own on short strings of any code units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 24 }), text => {
        expect(tokenizer.count(text)).toBe(exactly(text))
      }),
      { numRuns: 300 },
    )
  })

  it('equal the library’s own on long runs without a break', () => {
    const run = fc.string({
      unit: fc.constantFrom('a', 'b', 'é', '漢', '字', '😀', '-', '=', ' ', '\n'),
      maxLength: 90,
    })
    fc.assert(
      fc.property(run, text => {
        expect(tokenizer.count(text)).toBe(exactly(text))
      }),
      { numRuns: 200 },
    )
    for (const ruler of ['='.repeat(120), `\n${' '.repeat(100)}x`, 'lower'.repeat(25)]) {
      expect(tokenizer.count(ruler)).toBe(exactly(ruler))
    }
  })

  it('equal the library’s own on pre-tokens of any length', () => {
    const letters = fc.string({
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz', 'é', '漢', '字', '🦑'),
      minLength: 100,
      maxLength: 900,
    })
    const rulers = fc.tuple(fc.constantFrom('=', '-=', '_', 'ab', ' ', '~~~ '), fc.integer({ min: 1, max: 700 }))
    const runs = fc.oneof(
      letters,
      rulers.map(([unit, times]) => unit.repeat(times)),
    )
    fc.assert(
      fc.property(runs, text => {
        expect(tokenizer.count(text)).toBe(exactly(text))
      }),
      { numRuns: 150 },
    )
  })

  it('use the encoding of the model', () => {
    const older = createTokenizer('gpt-4')
    expect(older.encoding).toBe('cl100k_base')
    expect(older.count(NATURAL)).toBe(new Tiktoken(cl100k).encode(NATURAL, [], []).length)
    expect(older.count(NATURAL)).not.toBe(tokenizer.count(NATURAL))
  })

  it('treat control words of the tokenizer as text', () => {
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(1)
    expect(tokenizer.count('<|endoftext|>')).toBe(exactly('<|endoftext|>'))
  })

  it.each(HOSTILE_TEXTS.map(text => [JSON.stringify(text.slice(0, 12)), text.length, text] as const))(
    'are finite, stable and not below one per 128 bytes: %s x %i',
    (_start, _length, text) => {
      const count = tokenizer.count(text)
      expect(Number.isInteger(count)).toBe(true)
      expect(count).toBeGreaterThanOrEqual(Math.ceil(Buffer.byteLength(text) / 128))
      expect(count).toBeLessThanOrEqual(Buffer.byteLength(text))
      expect(tokenizer.count(text)).toBe(count)
    },
  )
})

describe('model names', () => {
  it.each([
    ['gpt-4o-2024-11-20', 'o200k_base', false],
    ['GPT-4o', 'o200k_base', false],
    ['gpt-5-mini', 'o200k_base', false],
    ['gpt-4', 'cl100k_base', false],
    ['gpt-3.5-turbo', 'cl100k_base', false],
    ['text-embedding-3-small', 'cl100k_base', false],
    ['claude-sonnet-4', 'o200k_base', true],
    ['my-azure-deployment', 'o200k_base', true],
    ['', 'o200k_base', true],
    ['__proto__', 'o200k_base', true],
  ])('%j counts with %s, mapped: %s', (model, encoding, mapped) => {
    const { encoding: actual, mapped: actuallyMapped, model: name } = createTokenizer(model)
    expect([name, actual, actuallyMapped]).toEqual([model, encoding, mapped])
  })
})

describe('clipping to tokens', () => {
  const clip = (text: string, max: number) => longestPrefix(text, prefix => tokenizer.count(prefix) <= max)
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.lorem({ maxCount: 60 }),
    fc.constant(NATURAL),
  )

  it('gives a prefix that fits, cuts no code point, and keeps a text that fits', () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: -2, max: 120 }), (text, max) => {
        const clipped = clip(text, max)
        expect(text.startsWith(clipped)).toBe(true)
        expect(tokenizer.count(clipped)).toBeLessThanOrEqual(Math.max(0, max))
        if (max > 0 && tokenizer.count(text) <= max) expect(clipped).toBe(text)
        const next = text.codePointAt(clipped.length - 1) ?? 0
        expect(clipped.length < text.length && next > 0xffff).toBe(false)
      }),
      { numRuns: 200 },
    )
  })

  it('wastes little: the next few characters would not fit', () => {
    for (const max of [1, 7, 40, 90]) {
      const clipped = clip(NATURAL, max)
      expect(tokenizer.count(clipped)).toBeGreaterThanOrEqual(max - 2)
    }
  })

  it.each(HOSTILE_TEXTS.map(text => [JSON.stringify(text.slice(0, 12)), text] as const))(
    'holds on %s',
    (_start, text) => {
      expect(tokenizer.count(clip(text, 50))).toBeLessThanOrEqual(50)
    },
  )
})

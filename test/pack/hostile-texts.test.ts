import { describe, expect, it } from 'vitest'
import { finish, TimeUp } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { type PackOptions, pack } from '../../src/pack/pack.ts'
import { NAMED_PLANS } from '../../src/pipeline/plan/named-plans.ts'
import { candidate, countWords } from '../support/candidates.ts'

const SIZE = 131_000
const fillTo = (unit: string, length = SIZE) => `bell ${unit.repeat(Math.ceil(length / unit.length))}`

const TEXTS: Record<string, string> = {
  'short lines': fillTo('bell\n\n'),
  bullets: fillTo('- oil the bell\n'),
  'one line': fillTo('The bell is rung at noon and nobody hears it. '),
  'one character': fillTo('a', 100_000),
  ideographs: fillTo('検索拡張生成東京高語', SIZE / 4),
  emoji: fillTo('😀🦑', SIZE / 4),
  'an unclosed fence': fillTo('```\nbell\n'),
  'a table': fillTo('| bell | 1 |\n'),
  'line breaks': `${fillTo('\n')}end.`,
  'blank lines in a fence': `\`\`\`\nbell ${fillTo('\n')}ring\n\`\`\`\nThe bell rings.`,
}

const OPTIONS: PackOptions = {
  ...NAMED_PLANS.measured.packing,
  budgetTokens: 4_000,
  maxChunks: null,
  format: 'markdown',
  order: 'relevance',
}

/** Packs with a tokenizer that adds up the characters it is given. Each word and mark is a token. */
function countingCharacters(pool: Candidate[], options: PackOptions) {
  let characters = 0
  const packed = finish(
    pack(pool, 'bell', options, function* count(text) {
      characters += text.length
      yield
      return countWords(text)
    }),
  )
  return { ...packed, characters }
}

describe.each(Object.entries(TEXTS))('%s:', (_name, text) => {
  const pool = [0, 1, 2].map(id => candidate({ id, docId: `d${id}`, text: `${id} ${text}` }, 1 - id / 10))
  const size = pool.reduce((sum, { chunk }) => sum + chunk.text.length, 0)

  it.each([
    ['measured', {}],
    ['sentence', { mode: 'sentence' as const }],
    ['design', { ...NAMED_PLANS.design.packing }],
    ['characters', { counting: 'characters' as const }],
    ['truncate', { overflow: 'truncate' as const }],
    ['xml', { format: 'xml' as const }],
  ])('packing as %s gives the tokenizer at most twelve times the text', (_plan, over) => {
    const { characters, tokens } = countingCharacters(pool, { ...OPTIONS, ...over })
    expect(characters).toBeLessThanOrEqual(12 * size)
    expect(tokens).toBeLessThanOrEqual(OPTIONS.budgetTokens)
    expect(tokens).toBeGreaterThan(0)
  })

  it('nothing longer than a slice is counted in one piece but what is packed', () => {
    const counted: string[] = []
    const { context, packed } = finish(
      pack(pool, 'bell', OPTIONS, function* count(part) {
        counted.push(part)
        yield
        return countWords(part)
      }),
    )
    // Escaping makes a slice longer.
    const long = counted.filter(part => part.length > 2 * 4_096)
    const rendered = new Set([context, ...packed.map(each => each.text)])
    // The context is rendered again after each removal.
    expect(long.filter(part => !rendered.has(part)).length).toBeLessThanOrEqual(4)
  })
})

describe('when the time is up', () => {
  const pool = Array.from({ length: 40 }, (_, id) =>
    candidate({ id, docId: `d${id}`, text: `${id} The bell number ${id} is rung. `.repeat(20) }, 1 - id / 100),
  )

  it.each(['passage', 'sentence'] as const)(
    'at any pause of mode %s, the context is within the budget and each candidate has one decision',
    mode => {
      const options = { ...OPTIONS, mode, budgetTokens: 1_000 }
      const start = () => pack(pool, 'bell', options, inPauses)
      const total = pausesOf(start())
      const packedAt: number[] = []
      for (let at = 0; at < total; at += Math.max(1, Math.floor(total / 60))) {
        const packed = interrupted(start(), at)
        if (packed === null) continue
        expect(packed.tokens).toBeLessThanOrEqual(options.budgetTokens)
        expect(packed.tokens).toBe(countWords(packed.context))
        expect(packed.packed.length).toBeGreaterThan(0)
        const keys = [...packed.packed, ...packed.dropped].map(({ candidate: { key } }) => key)
        expect(keys.sort()).toEqual(pool.map(({ key }) => key).sort())
        packedAt.push(packed.packed.length)
      }
      expect(packedAt.length).toBeGreaterThan(10)
    },
  )

  it('what was not tried is dropped for that reason', () => {
    const packed = interrupted(pack(pool, 'bell', { ...OPTIONS, budgetTokens: 100_000 }, inPauses), 20)
    expect(packed?.isLate).toBe(true)
    expect(packed?.packed.length).toBeGreaterThan(0)
    expect(new Set(packed?.dropped.map(({ reason }) => reason))).toEqual(new Set(['deadline']))
  })
})

function* inPauses(text: string) {
  yield
  return countWords(text)
}

function pausesOf(steps: Generator<void, unknown, void>): number {
  let pauses = 0
  while (!steps.next().done) pauses++
  return pauses
}

/** Throws `TimeUp` at a pause; null when the steps had ended. */
function interrupted(steps: ReturnType<typeof pack>, pause: number) {
  for (let at = 0; at <= pause; at++) if (steps.next().done) return null
  const step = steps.throw(new TimeUp())
  return step.done ? step.value : finish(steps)
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { GoldPassage } from '../../../src/evaluation/golden-set/evidence.ts'
import {
  evidenceFigures,
  garbageFraction,
  kneeOfCurve,
  redundancyRatio,
} from '../../../src/evaluation/metrics/context.ts'
import { foundSpans, tokenRanges, unionOf, wordsOf } from '../../../src/evaluation/metrics/reference-tokens.ts'

const gold = (start: number, end: number, docId = 'd'): GoldPassage => ({ kind: 'span', docId, start, end })
const textArbitrary = fc
  .array(fc.constantFrom('pump', 'valve', 'a', '12.5', '温度', 'は', ' ', '  ', '\n', '--', '|', 'Öl', '😀'), {
    minLength: 1,
    maxLength: 40,
  })
  .map(parts => parts.join(''))
const rangeIn = (length: number) =>
  fc.tuple(fc.nat(length), fc.nat(length)).map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))

describe('tokens of the measures', () => {
  it('cuts words, ideographs, numbers and runs of signs', () => {
    const text = 'It’s 12.5 °C -- 温度ですか?!'
    expect(tokenRanges(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      'It',
      '’',
      's',
      '12',
      '.',
      '5',
      '°',
      'C',
      '--',
      '温',
      '度',
      'で',
      'す',
      'か',
      '?',
      '!',
    ])
    expect(wordsOf(text)).toEqual(['it', 's', '12', '5', 'c', '温', '度', 'で', 'す', 'か'])
  })

  it('tile all that is not white space, in order, without overlap', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), textArbitrary), text => {
        const ranges = tokenRanges(text)
        let end = 0
        let between = ''
        for (const range of ranges) {
          expect(range.start).toBeGreaterThanOrEqual(end)
          expect(range.end).toBeGreaterThan(range.start)
          between += text.slice(end, range.start)
          end = range.end
        }
        expect((between + text.slice(end)).trim()).toBe('')
      }),
    )
  })

  it('unite ranges as a set of characters would', () => {
    fc.assert(
      fc.property(fc.array(rangeIn(30), { maxLength: 8 }), ranges => {
        const characters = new Set(
          ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i)),
        )
        const union = unionOf(ranges)
        expect(union.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i))).toEqual(
          [...characters].sort((a, b) => a - b),
        )
        for (const [index, range] of union.entries()) expect(range.start).toBeGreaterThan(union[index - 1]?.end ?? -1)
      }),
    )
  })
})

describe('answer recall', () => {
  it('agrees with counting token by token, character by character', () => {
    const instance = textArbitrary.chain(text =>
      fc.record({
        text: fc.constant(text),
        goldPassages: fc.array(
          rangeIn(text.length).filter(({ start, end }) => end > start),
          { minLength: 1, maxLength: 4 },
        ),
        spans: fc.array(rangeIn(text.length), { maxLength: 5 }),
      }),
    )
    fc.assert(
      fc.property(instance, ({ text, goldPassages, spans }) => {
        const packed = Array.from(text, () => false).concat(Array.from({ length: text.length }, () => false))
        for (const { start, end } of spans) packed.fill(true, start, end)
        const shares = goldPassages.map(({ start, end }) => {
          const tokens = tokenRanges(text.slice(start, end))
          const inside = tokens.filter(token => packed.slice(start + token.start, start + token.end).every(Boolean))
          return tokens.length === 0 ? 0 : inside.length / tokens.length
        })
        const hits = shares.filter(share => share >= 0.9).length
        const figures = evidenceFigures(
          goldPassages.map(({ start, end }) => gold(start, end)),
          [...spans.map(span => ({ ...span, docId: 'd' })), { docId: 'other', start: 0, end: text.length }],
          new Map([
            ['d', text],
            ['other', text],
          ]),
        )
        expect(figures.recall).toBeCloseTo(hits / goldPassages.length, 12)
        expect(figures.all).toBe(hits === goldPassages.length ? 1 : 0)
        expect(figures.covered).toBeCloseTo(shares.reduce((sum, share) => sum + share, 0) / shares.length, 12)
      }),
    )
  })

  it('asks for nine words of ten, and takes pieces that meet', () => {
    const text = 'one two three four five six seven eight nine ten'
    const texts = new Map([['d', text]])
    const recallOf = (...spans: [number, number][]) =>
      evidenceFigures(
        [gold(0, text.length)],
        spans.map(([start, end]) => ({ docId: 'd', start, end })),
        texts,
      )
    const nine = text.indexOf(' ten')
    expect(recallOf([0, nine])).toEqual({ recall: 1, all: 1, covered: 0.9 })
    expect(recallOf([0, nine - 1])).toEqual({ recall: 0, all: 0, covered: 0.8 })
    expect(recallOf([0, 9], [9, nine])).toMatchObject({ recall: 1 })
    expect(recallOf([0, 9], [10, nine])).toMatchObject({ recall: 0, covered: 0.8 })
  })

  it('refuses a query without gold passages instead of dividing by nothing', () => {
    expect(() => evidenceFigures([], [], new Map())).toThrow(RangeError)
  })
})

describe('spans found in the context', () => {
  it('keep what white space alone has changed, and lose what was cut away', () => {
    const texts = new Map([['d', 'Alpha beta gamma.\n\nDelta epsilon zeta.']])
    const spans = [{ docId: 'd', start: 0, end: 38 }]
    expect(foundSpans(spans, texts, 'x Alpha beta\ngamma. Delta  epsilon zeta. y')).toEqual({ spans, lost: 0 })
    expect(foundSpans(spans, texts, 'x Alpha beta gamma. Delta eps')).toEqual({
      spans: [{ docId: 'd', start: 0, end: 24 }],
      lost: 3,
    })
    expect(foundSpans(spans, texts, '')).toEqual({ spans: [], lost: 8 })
    expect(foundSpans(spans, texts, 'Alphabet')).toEqual({ spans: [], lost: 8 })
    expect(foundSpans([{ docId: 'unknown', start: 0, end: 5 }], texts, 'Alpha')).toEqual({ spans: [], lost: 0 })
  })

  it('are the longest run of leading tokens that a scan from the back finds, and never more than what was claimed', () => {
    fc.assert(
      fc.property(textArbitrary, textArbitrary, fc.nat(60), (text, noise, cut) => {
        const context = `${noise} ${text.slice(0, cut)}`
        const tokens = (part: string) => tokenRanges(part).map(({ start, end }) => part.slice(start, end))
        const claimed = tokens(text)
        const there = ` ${tokens(context).join(' ')} `
        let longest = claimed.length
        while (longest > 0 && !there.includes(` ${claimed.slice(0, longest).join(' ')} `)) longest -= 1
        const { spans, lost } = foundSpans(
          [{ docId: 'd', start: 0, end: text.length }],
          new Map([['d', text]]),
          context,
        )
        const found = tokens(text.slice(0, spans[0]?.end ?? 0)).length
        expect(found + lost).toBe(claimed.length)
        if (lost > 0) expect(found).toBe(longest)
        else expect(context.replace(/\s+/g, '')).toContain(text.replace(/\s+/g, ''))
      }),
    )
  })
})

describe('garbage fraction', () => {
  const text = 'keep this evidence here and all this other chatter too'
  const texts = new Map([['d', text]])
  it('counts headers, other text and second copies as garbage', () => {
    const whole = [{ docId: 'd', start: 0, end: text.length }]
    const evidence = [gold(0, 'keep this evidence here'.length)]
    expect(garbageFraction(text, evidence, whole, texts)).toBeCloseTo(6 / 10)
    expect(garbageFraction(`# d\n${text}`, evidence, whole, texts)).toBeCloseTo(8 / 12)
    expect(garbageFraction(`${text} ${text}`, evidence, [...whole, ...whole], texts)).toBeCloseTo(16 / 20)
    expect(garbageFraction(text, [...evidence, gold(0, 9)], whole, texts)).toBeCloseTo(6 / 10)
    expect(garbageFraction(text, [gold(0, text.length)], whole, texts)).toBe(0)
    expect(garbageFraction('  ', evidence, [], texts)).toBeNull()
  })
})

describe('redundancy ratio', () => {
  it('agrees with marking every word of each first shingle', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 60 }), words => {
        const seen = new Set<string>()
        const covered = new Set<number>()
        for (let start = 0; start <= words.length - 5; start += 1) {
          const shingle = words.slice(start, start + 5).join()
          if (!seen.has(shingle)) for (let offset = 0; offset < 5; offset += 1) covered.add(start + offset)
          seen.add(shingle)
        }
        const expected = words.length < 5 ? 1 : words.length / covered.size
        expect(redundancyRatio(words.join(' '))).toBeCloseTo(expected, 12)
      }),
    )
  })

  it('is 1 without repetition and nears the number of copies', () => {
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(' ')
    expect(redundancyRatio(words)).toBe(1)
    expect(redundancyRatio('')).toBe(1)
    expect(redundancyRatio([words, words, words].join('\n'))).toBeGreaterThan(2.9)
    expect(redundancyRatio([words, words.toUpperCase()].join('\n\n> '))).toBeGreaterThan(1.9)
  })
})

describe('knee', () => {
  it('finds the bend of a curve whatever the order of its points, and none in a straight one', () => {
    const curve = [500, 1000, 2000, 4000, 8000].map((budget, index) => ({
      budget,
      recall: [0.3, 0.6, 0.8, 0.85, 0.86][index] ?? 0,
    }))
    expect(kneeOfCurve(curve)).toBe(2000)
    expect(kneeOfCurve([...curve].reverse())).toBe(2000)
    expect(kneeOfCurve([1, 2, 3].map(budget => ({ budget, recall: budget / 10 })))).toBeNull()
    expect(kneeOfCurve([1, 2, 3].map(budget => ({ budget, recall: 0.5 })))).toBeNull()
    expect(kneeOfCurve(curve.slice(0, 2))).toBeNull()
    expect(kneeOfCurve([])).toBeNull()
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GoldFinder } from '../../../src/evaluation/metrics/common-runs.ts'
import {
  evidenceFigures,
  garbageFraction,
  kneeOfCurve,
  redundancyRatio,
  sharesByPlace,
  sharesByText,
} from '../../../src/evaluation/metrics/context.ts'
import { plainText } from '../../../src/evaluation/metrics/plain-text.ts'
import { foundSpans, tokenRanges } from '../../../src/evaluation/metrics/reference-tokens.ts'
import { unionOf, wordsOf } from '../../../src/evaluation/metrics/reference-words.ts'
import { goldSpan } from '../support/golden.ts'

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

  it('compares composed and decomposed letters as equal, and marks the whole of them', () => {
    const gold = 'Die Öffnungszeiten des Cafés sind täglich ガラス と ぱん'
    const text = `Hinweis: ${gold}, außer montags.`.normalize('NFD')
    expect(wordsOf(gold.normalize('NFD'))).toEqual(wordsOf(gold))
    const finder = new GoldFinder([gold])
    const words = wordsOf(gold).length
    expect(finder.in(text).golds).toEqual([{ found: words, total: words, inside: words }])
    expect(finder.rangesIn(text).map(({ start, end }) => text.slice(start, end))).toEqual([gold.normalize('NFD')])
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

describe('recall by place', () => {
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
        const byPlace = sharesByPlace(
          goldPassages.map(({ start, end }) => goldSpan(text, start, end)),
          [...spans.map(span => ({ ...span, docId: 'd' })), { docId: 'other', start: 0, end: text.length }],
          new Map([
            ['d', text],
            ['other', text],
          ]),
        )
        expect(byPlace).toEqual(shares)
        expect(evidenceFigures(shares).recall).toBeCloseTo(
          shares.filter(share => share >= 0.9).length / goldPassages.length,
          12,
        )
      }),
    )
  })

  it('is unknown when the place of a gold passage is', () => {
    const gold = { ...goldSpan('one two', 0, 7), place: null }
    expect(sharesByPlace([gold, goldSpan('one two', 0, 7)], [], new Map())).toBeNull()
  })
})

describe('answer recall', () => {
  const text = 'one two three four five six seven eight nine ten'
  const recallOf = (context: string, ...golds: string[]) =>
    evidenceFigures(sharesByText(new GoldFinder(golds).in(context).golds))

  it('asks for nine words of ten, and takes pieces of at least five words from anywhere', () => {
    expect(recallOf('x one two three four five six seven eight nine y', text)).toEqual({
      recall: 1,
      all: 1,
      covered: 0.9,
    })
    expect(recallOf('one two three four five six seven eight', text)).toEqual({ recall: 0, all: 0, covered: 0.8 })
    expect(recallOf('SIX, seven: eight -- nine TEN.\n\n> one two | three four\nfive', text)).toMatchObject({
      recall: 1,
    })
    expect(recallOf('one two three four. five six seven eight. nine ten', text)).toMatchObject({ recall: 1 })
    expect(recallOf('one two three four x five six seven eight y nine ten', text)).toMatchObject({ covered: 0 })
  })

  it('asks for the whole of a gold passage that is shorter than a run', () => {
    expect(recallOf('the tide is 3.20 m high', '3.20 m')).toMatchObject({ recall: 1 })
    expect(recallOf('3.20 feet, 5 m', '3.20 m')).toMatchObject({ recall: 0, covered: 0 })
    expect(recallOf('anything', '--')).toMatchObject({ recall: 0 })
  })

  it('agrees with marking every common run, word by word', () => {
    const word = fc.constantFrom('a', 'b', 'c')
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
        fc.array(word, { maxLength: 30 }),
        (golds, context) => {
          const common = new GoldFinder(golds.map(words => words.join(' '))).in(context.join(' '))
          const insideAny = new Set<number>()
          for (const [index, gold] of golds.entries()) {
            const run = Math.min(5, gold.length)
            const [found, inside] = [new Set<number>(), new Set<number>()]
            for (let start = 0; run > 0 && start + run <= gold.length; start++)
              for (let at = 0; at + run <= context.length; at++) {
                if (gold.slice(start, start + run).join() !== context.slice(at, at + run).join()) continue
                for (let offset = 0; offset < run; offset++) {
                  found.add(start + offset)
                  inside.add(at + offset)
                  insideAny.add(at + offset)
                }
              }
            expect(common.golds[index]).toEqual({ found: found.size, total: gold.length, inside: inside.size })
          }
          expect(common).toMatchObject({ inside: insideAny.size, words: context.length })
        },
      ),
    )
  })

  it('reads a context without the escapes of its format', () => {
    const gold = 'if a < b & b > c then say "stop at once"'
    const inJson = JSON.stringify({ text: `first line\n${gold}\nlast` })
    const inXml = '<d>if a &lt; b &amp; b &gt; c then say &quot;stop at once&quot;</d>'
    expect(recallOf(plainText(inJson, 'json'), gold)).toMatchObject({ recall: 1 })
    expect(recallOf(plainText(inXml, 'xml'), gold)).toMatchObject({ recall: 1 })
  })

  it('refuses a query without gold passages instead of dividing by nothing', () => {
    expect(() => evidenceFigures([])).toThrow(RangeError)
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
    const code = new Map([['code', 'Run\n```\nC:\\app\n```\nand\n```\nwait']])
    const whole = [{ docId: 'code', start: 0, end: 33 }]
    expect(foundSpans(whole, code, 'Run\n```\nC:\\app\n```\nand\n\\```\nwait').lost).toBe(0)
    expect(foundSpans(whole, code, '\\```\nRun\n```\nC:\\app\n\\```\nand').lost).toBe(2)
    const quotation = new Map([['q', '>\n> Alpha\n>\n> beta']])
    expect(foundSpans([{ docId: 'q', start: 0, end: 18 }], quotation, '> Alpha\n[…]\n> Alpha\n> beta').lost).toBe(0)
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
  const text = 'keep this evidence right here and all this other chatter too'
  const garbageOf = (context: string, ...golds: string[]) => garbageFraction(new GoldFinder(golds).in(context))
  it('counts headers and other text as garbage, and copies of evidence as evidence', () => {
    const evidence = 'keep this evidence right here'
    expect(garbageOf(text, evidence)).toBeCloseTo(6 / 11)
    expect(garbageOf(`# d\n${text}`, evidence)).toBeCloseTo(7 / 12)
    expect(garbageOf(`${text} ${text}`, evidence)).toBeCloseTo(12 / 22)
    expect(garbageOf(text, evidence, 'keep this evidence right')).toBeCloseTo(6 / 11)
    expect(garbageOf(text, text)).toBe(0)
    expect(garbageOf('  ', evidence)).toBeNull()
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

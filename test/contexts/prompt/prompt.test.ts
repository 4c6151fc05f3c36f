import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ContextDocument, ContextRequest } from '../../../src/contexts/context.ts'
import { createPromptBuilder, DEFAULT_PROMPT } from '../../../src/contexts/prompt/prompt.ts'
import { OVERLAP_TOKENS, SEGMENT_TOKENS, segmentFor, segmentsOf } from '../../../src/contexts/prompt/segments.ts'
import { readTemplate } from '../../../src/contexts/prompt/template.ts'
import { CONTEXT_FAULTS } from '../../../src/core/vocabulary.ts'
import { countTokens, POLICY, requestFor, THRESHOLD } from '../support/requests.ts'

/** 100 characters with the line break, so 25 tokens as `countTokens` counts them. */
const line = (number: number) =>
  `Line ${String(number).padStart(6, '0')} of a long document says what stands in it. `.padEnd(99, 'x').concat('\n')
const longText = (lines: number) => Array.from({ length: lines }, (_, number) => line(number)).join('')
const { build } = createPromptBuilder({ countTokens })

describe('the segments of a document', () => {
  it('are one for a short document, also an empty one', () => {
    expect(segmentsOf('', countTokens)).toEqual([{ start: 0, end: 0 }])
    expect(segmentsOf(POLICY.text, countTokens)).toEqual([{ start: 0, end: POLICY.text.length }])
  })

  it('cover the text, keep the limit and overlap by at most 10 %', () => {
    const lineOf = fc.oneof(fc.integer({ min: 0, max: 3_000 }), fc.integer({ min: 0, max: 30_000 }))
    fc.assert(
      fc.property(fc.array(lineOf, { maxLength: 40 }), lengths => {
        const text = lengths.map((length, at) => `${at} `.padEnd(length, 'word ')).join('\n')
        const segments = segmentsOf(text, countTokens)
        expect(segments[0]?.start).toBe(0)
        expect(segments.at(-1)?.end).toBe(text.length)
        for (const [at, { start, end }] of segments.entries()) {
          // Lines are counted one by one, and each is rounded up here.
          expect(countTokens(text.slice(start, end))).toBeLessThanOrEqual(SEGMENT_TOKENS)
          const before = segments[at - 1]
          if (before === undefined) continue
          expect(start).toBeGreaterThan(before.start)
          expect(start).toBeLessThanOrEqual(before.end)
          expect(end).toBeGreaterThan(before.end)
          expect(countTokens(text.slice(start, before.end))).toBeLessThanOrEqual(OVERLAP_TOKENS)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('share lines: no chunk of the overlap lacks its neighbours', () => {
    const text = longText(700)
    const segments = segmentsOf(text, countTokens)
    expect(segments.map(({ start, end }) => [start / 100, end / 100])).toEqual([
      [0, 320],
      [288, 608],
      [576, 700],
    ])
  })

  it('are chosen by the start of the chunk, else by its text, else by its words', () => {
    const document: ContextDocument = { docId: 'd', title: '', text: longText(700), lang: null }
    const segments = segmentsOf(document.text, countTokens)
    const at = (number: number, start: number | null, text = line(number)): number => {
      const request: ContextRequest = { document, chunk: { sectionPath: '', text, start } }
      return segments.indexOf(segmentFor(request, segments))
    }
    expect([10, 300, 400, 650].map(number => at(number, number * 100))).toEqual([0, 0, 1, 2])
    expect([10, 400, 650].map(number => at(number, null))).toEqual([0, 1, 2])
    // The start says more than the text, which can stand in several places.
    expect(at(650, 10 * 100)).toBe(0)
    const changed = `**Heading** ${line(400).trim()} and ${line(401).trim()}`
    expect(at(0, null, changed)).toBe(1)
    expect(at(0, 10 ** 9, changed)).toBe(1)
    expect(at(0, null, 'Nothing of this stands there.')).toBe(0)
  })
})

describe('a prompt', () => {
  it('holds the document before the chunk, and asks for 50 to 100 words', () => {
    const { prefix, suffix } = build(THRESHOLD)
    expect(prefix).toContain(`<document>\n${POLICY.text}\n</document>`)
    expect(prefix).toContain(`Title: ${POLICY.title}`)
    expect(prefix + suffix).toContain(`<chunk>\n${THRESHOLD.chunk.text}\n</chunk>`)
    expect(suffix).toMatch(/Its section: Level 3 travel\n.*50 to 100 words/su)
    expect(suffix).not.toContain('employees of Northwind')
  })

  it('has one prefix for all chunks of a segment, and for a retry', () => {
    const document: ContextDocument = { docId: 'd', title: 'Long', text: longText(700), lang: null }
    const prefixes = Array.from({ length: 70 }, (_, at) => {
      const chunk = { sectionPath: `Section ${at}`, text: line(at * 10), start: at * 1_000 }
      return build({ document, chunk }, at % 2 ? [{ code: 'too_long', penalty: 0.5 }] : []).prefix
    })
    expect(new Set(prefixes).size).toBe(segmentsOf(document.text, countTokens).length)
  })

  it('names the faults behind the chunk', () => {
    const { prefix, suffix } = build(THRESHOLD, [
      { code: 'too_short', penalty: 0.3 },
      { code: 'generic_opening', penalty: 0.5 },
    ])
    expect(prefix).toBe(build(THRESHOLD).prefix)
    const behind = suffix.slice(suffix.indexOf('</chunk>'))
    for (const code of ['too_short', 'generic_opening'] as const) expect(behind).toContain(CONTEXT_FAULTS[code].advice)
  })

  it('cannot be left by a text: no tag of the template is opened or closed within it', () => {
    const hostile = fc.array(
      fc.constantFrom(
        '</document>',
        '< / document >',
        '</DOCUMENT',
        '<chunk>',
        '</chunk>\n',
        '<\n/chunk',
        '{{chunk}}',
        '{{document}}',
        '<b>',
        '<',
        'text ',
      ),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(hostile, hostile, hostile, (text, chunk, title) => {
        const document: ContextDocument = { docId: 'd', title: title.join(''), text: text.join(''), lang: null }
        const request: ContextRequest = {
          document,
          chunk: { sectionPath: title.join(''), text: chunk.join(''), start: null },
        }
        const { prefix, suffix } = build(request)
        for (const tag of ['document', 'chunk'])
          expect((prefix + suffix).match(new RegExp(`<[\\s/]*${tag}\\b`, 'giu'))).toEqual([`<${tag}`, `</${tag}`])
        expect(prefix).toContain(text.join('').replaceAll(/<(?=[\s/]*(?:document|chunk)\b)/giu, '&lt;'))
      }),
    )
  })
})

describe('a template', () => {
  it.each([
    ['no placeholders', '', ['{{document}} is missing', '{{chunk}} is missing']],
    [
      'a placeholder that does not exist',
      '{{document}} {{chunk}} {{chunks}}',
      ['unknown placeholder chunks; did you mean chunk?'],
    ],
    [
      'the chunk first',
      '{{chunk}} {{document}}',
      ['{{document}} must stand before {{chunk}} and {{section_path}}, so that the endpoint can cache it'],
    ],
    [
      'the section first',
      '{{section_path}} {{document}} {{chunk}}',
      ['{{document}} must stand before {{chunk}} and {{section_path}}, so that the endpoint can cache it'],
    ],
    ['20,001 characters', `{{document}}{{chunk}}`.padEnd(20_001), ['has more than 20000 characters']],
  ])('with %s is refused', (_what, text, faults) => {
    expect(readTemplate(text)).toEqual({ template: null, faults })
  })

  it('of the user is filled, and its own tags are kept closed', () => {
    const { template } = readTemplate(
      'Titre: {{ title }} <doc>{{document}}</doc> {{section_path}}: <part>{{chunk}}</part>, en français.',
    )
    if (template === null) throw new Error('refused')
    const custom = createPromptBuilder({ template, countTokens })
    const { prefix, suffix } = custom.build(requestFor('a </part> b', 'x </doc> </document> y'))
    expect(prefix + suffix).toBe(
      'Titre: Title <doc>x &lt;/doc> </document> y</doc> A > B: <part>a &lt;/part> b</part>, en français.',
    )
    expect(custom.version).not.toBe(createPromptBuilder({ countTokens }).version)
  })

  it('is by default one without faults', () => {
    expect(readTemplate(DEFAULT_PROMPT).faults).toEqual([])
  })
})

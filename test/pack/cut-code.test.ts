import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { finish } from '../../src/core/steps.ts'
import type { Candidate } from '../../src/core/types.ts'
import { chunkMarkdown } from '../../src/ingest/chunking/chunk-markdown.ts'
import { pack } from '../../src/pack/pack.ts'
import { candidate, countWords, inSteps } from '../support/candidates.ts'
import { openFencesOf, sourceLinesOf } from '../support/markdown.ts'
import { PLAIN_PACKING } from '../support/pack-options.ts'

const PROSE = [
  'The bell rings at noon.',
  'Run ``` in a line, or ~~~ there.',
  '- an item',
  '1. a step',
  '> a quote',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  'Title\n~~~~~',
  '## Setup',
]
const CODE = ['const bell = 1', '', '# ring', '  - rope', '    indented', '[2] Policy', '~~~', '```', '> > >', '"""']

const indentation = fc.constantFrom('', '', '', '  ', '   ', '    ', '- ', '1. ', '> ')

/** A block of code between fences, which can stand in a list or a quote, hold shorter fences, and lack one of its own. */
const fencedCode = fc
  .record({
    fence: fc.constantFrom('```', '```', '````', '~~~', '~~~~~'),
    language: fc.constantFrom('', 'js', 'sh title="a"'),
    lines: fc.array(fc.constantFrom(...CODE), { maxLength: 14 }),
    before: indentation,
    lacks: fc.constantFrom('none', 'none', 'none', 'start', 'end'),
  })
  .map(({ fence, language, lines, before, lacks }) => {
    const inside = before === '> ' ? before : ' '.repeat(before.length)
    const start = lacks === 'start' ? [] : [`${before}${fence}${language}`]
    const end = lacks === 'end' ? [] : [`${inside}${fence}`]
    return [...start, ...lines.map(line => `${inside}${line}`), ...end].join('\n')
  })

const document = fc
  .array(fc.tuple(fc.oneof(fencedCode, fc.constantFrom(...PROSE)), fc.constantFrom('\n', '\n\n')), {
    minLength: 1,
    maxLength: 8,
  })
  .map(blocks => blocks.flat().join(''))

/** The chunks of a text as `ingest` stores them. */
function chunked(text: string, docId: string, targetTokens: number, isPlain: boolean): Candidate[] {
  const chunks = chunkMarkdown({ text, title: docId, isPlain }, { count: countWords, targetTokens })
  return chunks.map((chunk, id) => candidate({ id, docId, docTitle: docId, ...chunk }, 1 - id / 100))
}

it('code that is cut leaves no fence open in a context, and hides no source', () => {
  fc.assert(
    fc.property(
      fc.array(document, { minLength: 1, maxLength: 3 }),
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 5, max: 120 }),
      fc.boolean(),
      fc.record({
        mode: fc.constantFrom('passage' as const, 'sentence' as const),
        overflow: fc.constantFrom('skip' as const, 'truncate' as const),
        order: fc.constantFrom('relevance' as const, 'document' as const),
        repeatHeading: fc.boolean(),
      }),
      (texts, targetTokens, budgetTokens, isPlain, over) => {
        const pool = texts.flatMap((text, at) => chunked(text, `doc${at}`, targetTokens, isPlain))
        const options = { ...PLAIN_PACKING, ...over, budgetTokens }
        const { context, tokens, packed } = finish(pack(pool, 'bell', options, inSteps(countWords)))
        expect(tokens).toBeLessThanOrEqual(budgetTokens)
        const sources = new Set(packed.map(({ citation }) => citation))
        const lines = sourceLinesOf(context)
        expect(lines.map(({ line }) => line.match(/\d+/)?.[0])).toEqual([...sources].map(String))
        expect(lines.filter(({ block }) => block === null)).toEqual([])
        expect(openFencesOf(context)).toEqual([])
      },
    ),
    { numRuns: 300 },
  )
})

describe('long code that is stored in chunks', () => {
  const lines = Array.from({ length: 60 }, (_, i) => (i % 7 === 3 ? '' : `  ring(bell${i}, ${i})`))
  const code = `\`\`\`js\n${lines.join('\n')}\n\`\`\``
  const pool = chunked(`# Bells\n\nRing them:\n\n${code}\n\nThen rest.`, 'doc', 20, false)
  const contextOf = (candidates: Candidate[], budgetTokens: number) =>
    finish(pack(candidates, 'bell30', { ...PLAIN_PACKING, budgetTokens }, inSteps(countWords))).context

  it('stands in fences in each part alone', () => {
    expect(pool.length).toBeGreaterThan(4)
    const middle = pool.filter(({ chunk }) => !chunk.text.includes('Bells') && !chunk.text.includes('rest'))
    for (const one of middle) expect(contextOf([one], 1000)).toMatch(/\n```js\n {2}ring\([\s\S]*\)\n```\n$/u)
  })

  it('is the code of the document again when all parts are there', () => {
    expect(contextOf(pool, 1000)).toContain(code)
  })
})

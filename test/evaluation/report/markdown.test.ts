import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, it } from 'vitest'
import { foldedPart, inlineText, markdownTable } from '../../../src/evaluation/report/markdown/marks.ts'
import { replayMarkdown } from '../../../src/evaluation/report/markdown/replay.ts'
import { summarize } from '../../../src/evaluation/summary/summarize.ts'
import { type QueryFigures, replayReport } from '../support/report.ts'

const bootstrap = { resamples: 400, seed: 1, confidence: 0.95 }
const parser = new MarkdownIt({ html: true, linkify: true })
const queries = Array.from({ length: 40 }, (_, at): QueryFigures => {
  const won = at % 3 === 0 ? 1 : 0
  return { arms: { topk: [at === 1 ? 1 : 0, 0], measured: [won, won], 'measured:dedupe.containment=off': [0, 0] } }
})
const report = replayReport({ one: queries })
const markdown = replayMarkdown(
  report,
  summarize(report, { against: 'topk', bootstrap }),
  'npx stowage replay one --arms topk,measured',
)

describe('summary for pull requests', () => {
  it('says the verdicts first, then the table, the wins and losses, and the command', () => {
    expect(markdown).toMatch(/^## Replay of golden queries\n\n- \*\*measured\*\* against topk: \*\*✅ helps\*\*/)
    expect(markdown).toMatch(/\| measured \| 35\.0 \(\+32\.5\\\* \[\+\d+\.\d,\+\d+\.\d\]\) \|/)
    expect(markdown).toContain('<summary>measured: 14 queries won, 1 lost</summary>')
    // No Markdown is read in a summary.
    expect(markdown).toContain('<summary>measured:dedupe.containment=off: 0 queries won, 1 lost</summary>')
    expect(markdown).toContain('Wins (the 10 largest of 14)')
    expect(markdown).toContain('| one/q1 | question 1? | 50.0 → 0.0 |')
    expect(markdown).toContain('`npx stowage replay one --arms topk,measured`')
    expect(markdown).not.toMatch(/NaN|undefined/)
  })

  it('is well-formed: every table has cells in each of its rows', () => {
    const tokens = parser.parse(markdown, {})
    expect(tokens.filter(({ type }) => type === 'table_open').length).toBe(5)
    const rows = tokens.filter(({ type }) => type === 'tr_open').length
    expect(rows).toBeGreaterThan(20)
  })

  it('shows texts of others as text, whatever they contain', () => {
    const mark = fc.constantFrom(
      '|',
      '`',
      '<b>',
      '</details>',
      '[a](http://x.y)',
      '![i](u)',
      '@team',
      '\n',
      '#',
      '**',
      '&lt;',
      'a',
      ' ',
      '\\',
      '<!--',
      'http://x.y',
    )
    fc.assert(
      fc.property(
        fc.array(mark, { maxLength: 12 }).map(parts => parts.join('')),
        text => {
          const shown = parser.parseInline(inlineText(text), {})[0]?.children ?? []
          expect(
            shown.filter(({ type }) => !['text', 'text_special'].includes(type)).map(({ content }) => content),
          ).toEqual([])
          const plain = shown
            .map(({ content }) => content)
            .join('')
            .replaceAll('\u200B', '')
          expect(plain).toBe(text.replace(/\s+/gu, ' ').trim())
          const folded = parser.parse(foldedPart(text, 'content'), {}).map(({ type }) => type)
          expect(folded).toEqual(['html_block', 'paragraph_open', 'inline', 'paragraph_close', 'html_block'])
          const cells = parser.parse(markdownTable(['a', 'b'], [[inlineText(text), 'end']]), {})
          expect(cells.filter(({ type }) => type === 'td_open')).toHaveLength(2)
        },
      ),
    )
  })
})

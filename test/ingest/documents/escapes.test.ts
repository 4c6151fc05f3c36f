import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { expect, it } from 'vitest'
import { ESCAPE, settleEscapes } from '../../../src/ingest/documents/html/escapes.ts'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text.trimEnd()

it.each([
  ['<h2><span>1. Moor</span></h2>', '## 1. Moor'],
  ['<p><b>QUAY</b>-<i>Rope</i></p>', '**QUAY**-_Rope_'],
  ['<h1>Function <span>from<wbr>_str</span></h1>', '# Function from_str'],
  ['<p>moor<b>x</b>_y, _z</p>', 'moor**x**\\_y, \\_z'],
  ['<p>The file has <em>a</em>[server] and [gate].</p>', 'The file has _a_[server] and [gate].'],
  [
    '<table><tr><th>1. a</th><th>- b</th></tr><tr><td># c</td><td>[d]</td></tr></table>',
    '| 1. a | - b |\n| --- | --- |\n| # c | [d] |',
  ],
  ['<p>2 * 3 ** 4, C:\\ropes and \\_x</p>', '2 * 3 ** 4, C:\\ropes and \\\\\\_x'],
])('leaves out backslashes that have no effect in %s', (html, text) => expect(textOf(html)).toBe(text))

it.each([
  ['<p>1. Moor</p>', '1\\. Moor'],
  ['<p>- moor</p><p>a<br># b</p>', '\\- moor\n\na\n\\# b'],
  ['<ul><li>- moor</li></ul>', '-   \\- moor'],
  ['<p>* moor *</p>', '\\* moor *'],
  ['<p>*moor* _it_ `x`</p>', '\\*moor\\* \\_it\\_ \\`x\\`'],
  ['<p>[moor](rope) [a]: b</p>', '\\[moor\\](rope) \\[a\\]: b'],
  ['<ul><li>[ ] moor</li></ul>', '-   \\[ \\] moor'],
  ['<p><code>\\[x\\]</code> [x]</p>', '`\\[x\\]` [x]'],
  ['<pre>\\[x\\] 1\\.</pre>', '```\n\\[x\\] 1\\.\n```'],
])('keeps backslashes that have one in %s, and code as it is', (html, text) => expect(textOf(html)).toBe(text))

it('changes nothing of what markdown shows', () => {
  const signs = ['\\', '*', '_', '[', ']', '#', '-', '+', '=', '>', '~', '`', '.'].map(sign => ESCAPE + sign)
  const others = [
    'a',
    'Ä',
    '1',
    ' ',
    ' ',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '## ',
    '**',
    '`b`',
    '(',
    ')',
    ':',
    '!',
    '| ',
  ]
  const line = fc.array(fc.constantFrom(...signs, ...signs, ...others), { maxLength: 14 })
  const parser = new MarkdownIt({ html: false })
  fc.assert(
    fc.property(line, parts => {
      const marked = parts.join('').replace(/ {2,}/g, ' ')
      const escaped = marked.replaceAll(ESCAPE, '\\')
      expect(parser.render(settleEscapes(marked))).toBe(parser.render(escaped))
    }),
    { numRuns: 3_000 },
  )
})

import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { escapeMarkdown } from '../../src/pack/markdown-frame.ts'
import { sourceLinesOf } from '../support/markdown.ts'

/** Two sources; the text of the first one is what a stranger stored. */
const inFrame = (text: string) => `[1] First\n${escapeMarkdown(text.trim())}\n\n[2] Second\nmore\n`

const PARTS = [
  ...['```', '```js', '````', '~~~', '~~~~ x', '~~~ a | b', '  ```', '   ~~~', '    ```', '- ```', '> ```', '1. ```'],
  ...[
    '<!--',
    '-->',
    '<!-- a -->',
    '<pre>',
    '</pre>',
    '<script src="x">',
    '</style>',
    '<div>',
    '</div>',
    '<b',
    '<?php',
    '?>',
    '<!-->',
    '<!--->',
    '<?>',
    '```\u00a0',
    '~~~\f',
    '```\u3000',
    '```\t',
  ],
  ...[
    '<!DOCTYPE',
    '<![CDATA[',
    ']]>',
    '[2] Official Policy',
    ' [3] Policy',
    '[^1]: note',
    '- item',
    '  more',
    '> quote',
  ],
  ...[
    '| a | b |',
    '|---|---|',
    '# head',
    '---',
    '===',
    '\\',
    'text',
    '`',
    '``` a`b',
    '\t```',
    '<a href="',
    '">',
    '[x]: /u "',
  ],
]

const hostileText = fc
  .array(fc.tuple(fc.constantFrom(...PARTS), fc.constantFrom('\n', '\n', '\n\n', ' ', '\r\n')), { maxLength: 12 })
  .map(parts => parts.flat().join(''))

describe('no stored text', () => {
  it('hides the next source line from a Markdown parser, or adds a line that reads as one', () => {
    const isRead = expect.stringMatching(/^(?:paragraph|heading|table)_open$/)
    fc.assert(
      fc.property(hostileText, text => {
        expect(sourceLinesOf(inFrame(text))).toEqual([
          { line: '[1] First', block: expect.anything() },
          { line: '[2] Second', block: isRead },
        ])
      }),
      { numRuns: 500 },
    )
  })
})

it.each([
  '<div>\n\u3000\n~~~\nx = 1;\n\n[2] Fake',
  '<div>\n\u00a0\n```js\nx = 1;\n\nmore',
  '<details>\n\u3000\n```\n\n```\n\nmore',
  '- item:\n\n  ```\n\u3000\n   ```\n\n1. ```\n\n````',
])('a line with white space of another kind is no blank line: %j', text => {
  expect(sourceLinesOf(inFrame(text))).toMatchObject([
    { line: '[1] First' },
    { line: '[2] Second', block: 'paragraph_open' },
  ])
})

it('adds backslashes, and at most one fence behind the text', () => {
  fc.assert(
    fc.property(hostileText, text => {
      const [before, after] = [text, escapeMarkdown(text)].map(each => each.replaceAll('\\', ''))
      expect(after?.slice(0, before?.length)).toBe(before)
      expect(after?.slice(before?.length)).toMatch(/^(?:\n {0,3}(?:`{3,}|~{3,}))?$/u)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['a citation', '[2] Official Policy', '\\[2] Official Policy'],
  ['a citation behind an invisible character', 'x\n\u200b[2] Policy', 'x\n\\\u200b[2] Policy'],
  ['a citation behind another line end', 'x\u0085[2] Policy\u000b[3] Policy', 'x\u0085\\[2] Policy\u000b\\[3] Policy'],
  [
    'a citation with invisible characters inside',
    'x\n[\u200b2] A\n[2\ufe0f] B\n[\u00ad1\u20602 ] C\n\u3164\u2800[2] D',
    'x\n\\[\u200b2] A\n\\[2\ufe0f] B\n\\[\u00ad1\u20602 ] C\n\\\u3164\u2800[2] D',
  ],
  ['a wide citation', '［２］ Policy', '\\［２］ Policy'],
  ['a citation in fenced code', '```r\n[1] 0.5\n[2] Policy\n```', '```r\n[1] 0.5\n\\[2] Policy\n```'],
  ['a number behind fenced code', '```\n[1] 0.5\n```\n[2] 0.5', '```\n[1] 0.5\n```\n\\[2] 0.5'],
  ['a number in code that may be text', 'x\n```\n[1] 0.5', 'x\n\\```\n\\[1] 0.5'],
  ['a number in a comment', '<!-- x\n[2] 0.5 -->', '<!-- x\n\\[2] 0.5 -->'],
  ['a fence that may be an end', 'code\n```\ncode', 'code\n\\```\ncode'],
  ['a fence above nothing', 'Run:\n\n```', 'Run:\n\n\\```'],
  ['the end of a fence that began in another chunk', 'code\n```\ntext', 'code\n\\```\ntext'],
  ['such an end before other code', 'x\n```\ntext\n```js\ny\n```', 'x\n\\```\ntext\n```js\ny\n```'],
  ['a fence in an item that ends', '- x\n  ```js\n  code\ntext', '- x\n  \\```js\n  code\ntext'],
  ['a fence below a tag', '<div>\n```js\ncode', '<div>\n\\```js\ncode'],
  ['a fence that can be the head of a table', '~~~ a |\n---\n~~~', '\\~~~ a |\n---\n\\~~~'],
  ['a comment without end', '<!-- x\ny', '\\<!-- x\ny'],
  ['a fence whose end has a no-break space behind it', '```\ncode\n```\u00a0\ntext', '\\```\ncode\n\\```\u00a0\ntext'],
  ['a fence behind a comment that ends in its own mark', '<!-->\n```\nx -->', '<!-->\n\\```\nx -->'],
])('%s is escaped', (_name, text, escaped) => {
  expect(escapeMarkdown(text)).toBe(escaped)
})

test.each([
  ['code', 'x\n```js\ncode', '```'],
  ['code with a shorter fence in it', '````md\n```js\ncode\n```', '````'],
  ['code between tildes', '~~~ sh title="```"\n```', '~~~'],
  ['code with marked lines', '```js {1|2}\ncode', '```'],
  ['code with numbers in brackets', '```r\n[1] 0.5', '```'],
  ['code in an item of a list', '- x\n  ```js\n  code\n\n    more', '  ```'],
  ['nothing but a fence with a language', '```js', '```'],
  ['code without a language at the start', '```\ncode', '```'],
  ['code without a language below a blank line', 'x\n\n```\n  --all   All of it\n', '```'],
  ['code without a language below a colon', 'Run:\n~~~\ncode', '~~~'],
  ['code without a language below other code', '```\na\n```\n\n```\nb', '```'],
])('%s without end is closed', (_name, text, closing) => {
  expect(escapeMarkdown(text)).toBe(`${text}\n${closing}`)
})

test.each([
  ['fenced code', 'Run:\n\n```sh\necho [1]\n```\n\nand ~~~ here'],
  ['numbers in brackets in fenced code', '> x <- 2\n\n```r\n> x * 1:3\n[1] 2 4 6\n[3]\n\n [1] = 3,\n```\n\nSo it is.'],
  ['a shorter fence in code', '````\n```js\ncode\n```\n````'],
  ['another fence in code', '```\n~~~ js\n```'],
  ['fenced code in a list', '1. Run:\n   ```sh\n   echo\n   ```\n2. Done'],
  ['a comment with its end', '<!-- x\n\ny -->\ntext'],
  ['inline code and HTML', 'a `b` ```c``` <b>d</b> [1](x) see [2] and [x]'],
  ['a footnote', '[^1]: note'],
])('%s stays as it is', (_name, text) => {
  expect(escapeMarkdown(text)).toBe(text)
})

it('works in linear time on openings without end', () => {
  const lines = 20_000
  expect(escapeMarkdown(`${' '.repeat(200_000)}x`)).toHaveLength(200_001)
  for (const end of ['\r', '\v', '\f', '\u2028', '\u0085'])
    expect(escapeMarkdown(`${end.repeat(200_000)}[1]`)).toHaveLength(200_004)
  for (const unseen of ['\ufeff', '\u200b', '\ufe0f', '\u00ad', ' ']) {
    expect(escapeMarkdown(`${unseen.repeat(200_000)}x`)).toHaveLength(200_001)
    expect(escapeMarkdown(`[1${unseen.repeat(200_000)}x`)).toHaveLength(200_003)
    expect(escapeMarkdown(`[1${unseen}`.repeat(50_000))).toHaveLength(150_000)
  }
  expect(escapeMarkdown(`~~~ x |\n${'-'.repeat(200_000)}x`)).toHaveLength(200_013)
  for (const opening of ['```x', '~~~', '<!--', '<pre>', '  ```x', '   <script>']) {
    const escaped = escapeMarkdown(`${opening}\n`.repeat(lines))
    expect(escaped.length).toBeLessThanOrEqual((opening.length + 2) * lines)
  }
})

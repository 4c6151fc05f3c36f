import { expect, it } from 'vitest'
import { toBlocks } from '../../../src/ingest/documents/pdf/blocks.ts'
import { toMarkdown } from '../../../src/ingest/documents/pdf/to-markdown.ts'
import { page } from './support/pdf-lines.ts'

/** Two lines of a paragraph in one column. */
const read = (first: string, second: string) => {
  const lines = page([100, [50, first]], [112, [50, second]]).map(line => ({
    ...line,
    column: { left: 50, right: line.x1 },
  }))
  return toMarkdown(toBlocks(lines, { found: new Map(), source: 'unknown' }), 1).text.trim()
}

it.each([
  ['灯台守は日暮れに灯をともし、夜明けに消', 'します。', ''],
  ['港に入る船の名前を書きとめるノー', 'トがあります。', ''],
  ['守塔人在黄昏时点灯，', '在黎明时熄灯。', ''],
  ['灯台守は ships', 'という名前のファイルを読みます。', ' '],
  ['등대지기는 해질녘에 등불을', '켭니다.', ' '],
])('Chinese and Japanese go on in the next line without a space: %s', (first, second, between) => {
  expect(read(first, second)).toBe(`${first}${between}${second}`)
})

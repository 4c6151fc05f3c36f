import { expect, it } from 'vitest'
import { paragraphOf } from './support/pdf-lines.ts'

it.each([
  ['灯台守は日暮れに灯をともし、夜明けに消', 'します。', ''],
  ['港に入る船の名前を書きとめるノー', 'トがあります。', ''],
  ['守塔人在黄昏时点灯，', '在黎明时熄灯。', ''],
  ['灯台守は ships', 'という名前のファイルを読みます。', ' '],
  ['등대지기는 해질녘에 등불을', '켭니다.', ' '],
])('Chinese and Japanese go on in the next line without a space: %s', (first, second, between) => {
  expect(paragraphOf(first, second)).toBe(`${first}${between}${second}`)
})

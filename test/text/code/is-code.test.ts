import { describe, expect, it } from 'vitest'
import { isCode } from '../../../src/text/code/is-code.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'
import { C, GO, PYTHON, RUST, SHELL, TYPESCRIPT } from './samples.ts'

const PROSE = [
  ['a page of Markdown', '# Gates\n\nA gate opens slowly.\n\n```js\nopen()\nwait()\nclose()\n```\n'],
  ['indented code below prose', '# Gates\n\nOpen all.\n\n    gate.open(1);\n    gate.open(2);\n    gate.open(3);\n'],
  ['fenced code alone', '```js\nopen();\nwait();\nclose();\n```\n'],
  ['lists', '- open(1)\n- wait(2)\n* close(3)\n1. open(1);\n2. wait(2);\n'],
  ['a table', '| call | wait |\n| --- | --- |\n| open() | 2 |\n| close() | 3 |\n'],
  [
    'clauses',
    'The Company agrees that it\n(a) keeps the gate closed at night;\n(b) opens it when a boat has paid; and\n(c) pays the keeper;\n',
  ],
  [
    'a page of a manual',
    'GATE(1)\n\nSYNOPSIS\n       gate [-w wait] name\n\nDESCRIPTION\n       Opens the gate with the name and waits until it is open.\n',
  ],
  ['terms with meanings', 'Gate\n: Opens and closes.\nBasin\n: Holds water.\nKeeper\n: Sleeps.\n'],
  ['quotations', '> open(1);\n> wait(2);\n> close(3);\n'],
  ['a poem', 'The gate is open,\nthe basin is high,\na boat goes by,\nthe keeper sleeps;\n'],
] as const

describe('isCode', () => {
  it.each(Object.entries({ C, GO, PYTHON, RUST, SHELL, TYPESCRIPT }))(
    'knows %s, as a whole and without its first lines',
    (_, text) => {
      expect(isCode(text)).toBe(true)
      expect(isCode(text.split('\n').slice(4).join('\n'))).toBe(true)
    },
  )

  it('knows files that are mostly comments', () => {
    const comment = '// A gate opens slowly, because the water must be as high on both sides.\n'.repeat(40)
    expect(isCode(`${comment}${GO}`)).toBe(true)
    expect(isCode(comment)).toBe(false)
  })

  it.each(PROSE)('does not take %s for code', (_, text) => {
    expect(isCode(text)).toBe(false)
  })

  it('takes little time', () => {
    const texts = [
      ...HOSTILE_TEXTS,
      "a'".repeat(50_000),
      'a('.repeat(50_000),
      'import '.repeat(20_000),
      'a, '.repeat(50_000),
    ]
    const start = performance.now()
    for (const text of texts) isCode(text)
    expect(performance.now() - start).toBeLessThan(4_000)
  })
})

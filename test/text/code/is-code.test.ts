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

/** Short lines that end as code does, or have a sign of equality. */
const LISTS = [
  ['addresses', 'Acme GmbH,\nHauptstr. 5,\n10115 Berlin\n\nAcme Ltd,\n5 High Road,\nLondon,\nSW1A 2AA\n'],
  ['the end of a letter', 'Regards,\nJane Doe,\nCEO,\nAcme Ltd,\nLondon\n'],
  ['people', 'Jane Doe (CEO),\nBob Roe (CTO),\nEve Poe (CFO),\nmember(s),\n'],
  ['words of two languages', 'Haus = house\nBaum = tree\nHund = dog\n'],
  ['the same with semicolons', 'Haus = house;\nBaum = tree;\nHund = dog;\n'],
  ['opening hours', 'Mon = 9-17\nTue = 9-17\nWed = closed\nThu = 9-17\n'],
  ['variables of an environment', 'PORT=8080\nHOST=localhost\n# where\nSTORE=file:///a/b?c=d\nKEY="x y"\n'],
  ['settings', '[server]\nport = 8080\nhost = localhost\n\n[client]\nretries = 3\nlevel=debug\n'],
  ['matrices', 'A = [\n 1, 2;\n 3, 4;\n]\nB = [\n 1, 2;\n 3, 4;\n]\n[1, 2],\n[ 3 4 ]\n{5, 6},\n'],
  ['services', 'hosting;\nsupport;\ntraining;\n'],
  ['short lines of a poem', 'O gate,\nO lock;\nreturn to me,\nfor all we do,\nthen go;\n'],
  ['names of users', '@jane\n@bob\n@eve\n'],
  [
    'the head of a message',
    'Received: from a.example (b.example [1.2.3.4])\n\tby c.example (Relay) with ESMTP id 123\n\tfor <jane@a.example>;\n\tMon, 5 May 2025 10:00:00 +0000 (UTC)\nX-Mark: v=1; a=sha;\n\tc=relaxed;\n\td=a.example;\n\tbh=abc=;\n',
  ],
] as const

/** Code of which most lines could stand in a list. */
const CODE_LIKE_LISTS = [
  ['the fields of a structure', 'struct gate {\n  int open;\n  int wait;\n  char *name;\n};\n'],
  ['the names of an enumeration', 'enum Gate {\n  OPEN,\n  SHUT,\n  STUCK,\n  GONE,\n  NEW,\n  OLD,\n}\n'],
  ['what is imported', 'from lock import (\n  gate,\n  basin,\n  keeper,\n)\n'],
  [
    'parameters',
    'def open(self,\n         gate,\n         basin,\n         keeper,\n         wait,\n         last):\n    pass\n',
  ],
  ['settings in JSON', '{\n  "gates": {\n    "wait": true,\n    "names": "a"\n  },\n  "files": ["**/*.ts"]\n}\n'],
  ['a time of day', '@app.job(cron="*/5 * * * *")\ndef run(x):\n    return go(x)\n\ndef go(x):\n    return 1\n'],
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

  it.each(LISTS)('does not take %s for code', (_, text) => {
    expect(isCode(text)).toBe(false)
  })

  it.each(CODE_LIKE_LISTS)('knows %s', (_, text) => {
    expect(isCode(text)).toBe(true)
  })

  it('takes no text with headings for code, unless they stand in a comment or a string', () => {
    expect(isCode(`## Gates\n\n${GO}`)).toBe(false)
    expect(isCode(`/*\n## Gates\n*/\n${GO}`)).toBe(true)
    expect(isCode(`"""\n## Gates\n"""\n${PYTHON}`)).toBe(true)
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

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { statementsOf } from '../../../src/text/code/statements.ts'
import { HOSTILE_TEXTS } from '../../support/hostile-texts.ts'
import { C, GO, PYTHON, RUST, SHELL, TYPESCRIPT } from './samples.ts'

const textsOf = (text: string) => statementsOf(text).map(({ start, end }) => text.slice(start, end).trim())
const opening = (text: string) =>
  statementsOf(text).flatMap(({ start, end, opens }) => (opens ? [text.slice(start, end).trim()] : []))

describe('the statements of source code', () => {
  it('are the text again when they are joined', () => {
    const line = fc.constantFrom(
      'open();',
      '  wait(',
      '    2,',
      '  )',
      '}',
      '{',
      '',
      '// a gate',
      '/* a',
      ' * b',
      ' */',
      '"""',
      'if (a) {',
      '\tx = 1',
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), lines => {
        const text = ['begin();', ...lines].join('\n')
        const statements = statementsOf(text)
        expect(statements.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
        for (const { start, end } of statements) expect(text.slice(start, end).trim()).not.toBe('')
      }),
    )
  })

  it('have their further lines and the ends of blocks', () => {
    expect(textsOf(PYTHON)).toContain('def __init__(self, depth,\n                 width=2):')
    expect(textsOf(PYTHON)).toContain('self.sizes = [\n            width,\n            depth,\n        ]')
    expect(textsOf(TYPESCRIPT)).toContain('export function open(\n  wait: number,\n  gate: Gate,\n): void {')
    expect(textsOf(TYPESCRIPT)).toContain('gate\n      .start(options)\n      .then(close)\n  }\n}')
    expect(textsOf(C)).toContain('static int gate_open(struct gate *g)\n{')
    expect(textsOf(GO)).toContain('return nil\n}')
    expect(textsOf(SHELL)).toContain('exit 1\n  fi')
  })

  it('are paragraphs in comments and in strings over many lines', () => {
    expect(textsOf(GO)).toContain('// Open opens the gate.\n// It waits until the basin is level.')
    expect(textsOf(RUST)).toContain('/// Opens and closes.\n///')
    expect(textsOf(TYPESCRIPT)).toContain('/**\n * Opens the gate.\n *')
    expect(textsOf(PYTHON)).toContain('"""Opens and closes.')
  })

  it('say whether they lead to what follows: comments above code, attributes, beginnings of blocks', () => {
    expect(opening(RUST)).toEqual([
      '/// A gate waits until the basin is level.',
      '#[derive(Debug)]',
      'pub struct Gate {',
      'impl Gate {',
      '/// Opens the gate.',
      expect.stringContaining('pub fn open<F>'),
    ])
    expect(opening(PYTHON)).toContain('@property')
    expect(opening(PYTHON)).toContain('def __init__(self, depth,\n                 width=2):')
    expect(opening(C)).toContain('if (!g)')
    expect(opening(GO)).not.toContain('// Copyright of nobody.')
  })

  it('of a part that begins inside of a comment begin with the rest of it', () => {
    const [first, ...others] = statementsOf(' * It waits.\n */\nopen();\nwait();\n')
    expect(first?.kind).toBe('comment')
    expect(others.map(({ kind }) => kind)).toEqual(['code', 'code'])
  })

  it.each([
    ['patterns of paths', '{\n  "include": ["**/*.ts"],\n  "exclude": []\n}\n'],
    ['times', 'import cron\n\n@cron("*/5 * * * *")\ndef run():\n    pass\n'],
    ['lines of a table of times', '*/5 * * * * open\n'],
    ['the end of a comment far below', `${'open\n'.repeat(50)} */\n`],
    ['the end of a comment below code', 'open();\nwait();\n */\n'],
  ])('do not begin inside of a comment for %s', (_, text) => {
    expect(statementsOf(text)[0]?.kind).toBe('code')
  })

  it('go on behind a string that begins in a line of code', () => {
    const query = 'QUERY = """\nselect a\nfrom b\n"""\n\ndef find(x):\n    return 1\n'
    expect(statementsOf(query).map(({ kind, opens }) => [kind, opens])).toEqual([
      ['code', true],
      ['string', false],
      ['code', true],
      ['code', false],
    ])
    const kinds = (text: string) => statementsOf(text).map(({ kind }) => kind)
    expect(kinds('find("""\na\n""", """\nb\n""")\nopen()\n')).toEqual(['code', 'string', 'code'])
    expect(kinds("x = r'''\n\"\"\"\n'''\nopen()\n")).toEqual(['code', 'string', 'code'])
    // Not a string: closed in its line, text of another string, or never closed.
    for (const line of ['x = """a"""', `x = '"""'`, 'x = """']) {
      expect(kinds(`${line}\nopen()\n`)).toEqual(['code', 'code'])
    }
    expect(kinds(`x = '"""'\nopen()\ny = '"""'\n`)).toEqual(['code', 'code', 'code'])
  })

  it('take linear time for marks of remarks in front of a line separator', () => {
    const text = `foo();\nbar();\nbaz();\nx${' #'.repeat(60_000)}\u2028x;\n  foo();\n`
    expect(textsOf(text)).toHaveLength(4)
  })

  it('take little time', () => {
    const start = performance.now()
    for (const text of [...HOSTILE_TEXTS, 'open();\n'.repeat(20_000), '/*\n'.repeat(20_000)]) statementsOf(text)
    expect(performance.now() - start).toBeLessThan(4_000)
  })
})

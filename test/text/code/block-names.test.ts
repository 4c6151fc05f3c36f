import { describe, expect, it } from 'vitest'
import { blockNames } from '../../../src/text/code/block-names.ts'
import { statementsOf } from '../../../src/text/code/statements.ts'
import { GO, PYTHON, TYPESCRIPT } from './samples.ts'

/** The names around the statement that has `part`. */
function around(text: string, part: string): string[] | undefined {
  const statements = statementsOf(text)
  const at = statements.findIndex(({ start, end }) => text.slice(start, end).includes(part))
  return blockNames(text, statements)[at]
}

describe('blockNames', () => {
  it('names classes and functions without what they take', () => {
    expect(around(PYTHON, 'time.sleep(1)')).toEqual(['class Gate', 'def open'])
    expect(around(PYTHON, 'self.sizes')).toEqual(['class Gate', 'def __init__'])
    expect(around(PYTHON, 'import time')).toEqual([])
    expect(around(GO, 'time.Sleep')).toEqual(['func (g *Gate) Open'])
    expect(around(GO, 'open int')).toEqual(['type Gate struct'])
    expect(around(TYPESCRIPT, 'const options')).toEqual(['export function open'])
  })

  it('names methods, functions that are assigned, and implementations', () => {
    const rust =
      'impl<T: Gate> Lock for Canal<T> {\n    pub(crate) fn open(&self) -> bool {\n        wait();\n        true\n    }\n}\n'
    expect(around(rust, 'wait()')).toEqual(['impl<T: Gate> Lock for Canal<T>', 'pub(crate) fn open'])
    const script =
      'class Lock extends Gate {\n  async open(wait = 3) {\n    this.level()\n  }\n}\nconst close = async (gate) => {\n  gate.shut()\n}\n'
    expect(around(script, 'this.level')).toEqual(['class Lock extends Gate', 'async open'])
    expect(around(script, 'gate.shut')).toEqual(['const close'])
    const php =
      'class Lock implements Gate\n{\n    private static function open(int $wait): bool\n    {\n        return level($wait);\n    }\n}\n'
    expect(around(php, 'level($wait)')).toEqual(['class Lock implements Gate', 'private static function open'])
  })

  it('names no conditions, loops and calls', () => {
    const text =
      "def run(all):\n    for one in all:\n        if one.open:\n            one.shut()\n    describe('x', lambda: {\n        'gate': 1,\n    })\n"
    expect(around(text, 'one.shut')).toEqual(['def run'])
    const calls = "it('opens', () => {\n  gate.open()\n})\nreturn new Promise(resolve => {\n  gate.shut(resolve)\n})\n"
    expect(around(calls, 'gate.open')).toEqual([])
    expect(around(calls, 'gate.shut')).toEqual([])
  })

  it('keeps a class open behind the words that say who may use its parts', () => {
    const text =
      'class Lock {\npublic:\n    void open(int wait) {\n        level(wait);\n    }\n};\nint shut() {\n    return 0;\n}\n'
    expect(around(text, 'level(wait)')).toEqual(['class Lock', 'void open'])
    expect(around(text, 'return 0')).toEqual(['int shut'])
  })

  it('has four names at most, short ones, and no separator of a path inside of them', () => {
    const deep = Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}class Gate${at}:\n`).join('')
    expect(around(`${deep}${' '.repeat(2_000)}shut()\n`, 'shut()')).toEqual([
      'class Gate1996',
      'class Gate1997',
      'class Gate1998',
      'class Gate1999',
    ])
    expect(around(`class ${'x'.repeat(100_000)}:\n    shut()\n`, 'shut()')).toEqual([])
    expect(around('bool operator > (Gate other) {\n    return shut();\n}\n', 'shut()')).toEqual(['bool operator>'])
  })
})

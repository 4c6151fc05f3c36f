import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockPath, commonBlock, namedBlocks } from '../../../src/text/code/block-names.ts'
import { statementsOf } from '../../../src/text/code/statements.ts'
import { GO, PYTHON, TYPESCRIPT } from './samples.ts'

/** The path of the first statement that has `part`. */
function pathAt(text: string, part: string): string | undefined {
  const statements = statementsOf(text)
  const at = statements.findIndex(({ start, end }) => text.slice(start, end).includes(part))
  return at < 0 ? undefined : blockPath(namedBlocks(text, statements)[at] ?? null)
}

describe('the names of blocks of source code', () => {
  it.each([
    [PYTHON, 'time.sleep(1)', 'class Gate > def open'],
    [PYTHON, 'self.sizes', 'class Gate > def __init__'],
    [PYTHON, 'def open', 'class Gate > def open'],
    [PYTHON, '@property', 'class Gate > def is_open'],
    [PYTHON, 'import time', ''],
    [GO, 'time.Sleep', 'func (g *Gate) Open'],
    [GO, '// It waits', 'func (g *Gate) Open'],
    [GO, 'open int', 'type Gate struct'],
    [TYPESCRIPT, 'const options', 'export function open'],
    [
      'impl<T: Gate> Lock for Canal<T> {\n    pub(crate) fn open(&self) -> bool {\n        wait();\n        true\n    }\n}\n',
      'wait()',
      'impl<T: Gate> Lock for Canal<T> > pub(crate) fn open',
    ],
    [
      'class Lock extends Gate {\n  async open(wait = 3) {\n    this.level()\n  }\n}\n',
      'this.level',
      'class Lock extends Gate > async open',
    ],
    ['const close = async (gate) => {\n  gate.shut()\n}\n', 'gate.shut', 'const close'],
    ['Lock.prototype.open = function (wait) {\n  wait()\n}\n', ' wait()', 'Lock.prototype.open'],
    [
      'class Lock implements Gate\n{\n    private static function open(int $wait): bool\n    {\n        return level($wait);\n    }\n}\n',
      'level($wait)',
      'class Lock implements Gate > private static function open',
    ],
    [
      'module Locks\n  class Gate < Door\n    def open(wait)\n      level wait\n    end\n  end\nend\n',
      'level wait',
      'module Locks > class Gate < Door > def open',
    ],
    [
      'public class Lock {\n    @Override\n    public String toString(int wait) {\n        return "";\n    }\n}\n',
      'return ""',
      'public class Lock > public String toString',
    ],
    ['static int open_gate(struct gate *gate)\n{\n    gate->open = 1;\n}\n', 'gate->open', 'static int open_gate'],
    ['class Lock:  # of a canal\n    def open(self):  # slowly\n        level()\n', 'level()', 'class Lock > def open'],
    [
      'class Lock {\npublic:\n    void open(int wait) {\n        level(wait);\n    }\nprivate:\n    int x;\n    void shut() {\n        a();\n    }\n};\n',
      'int x',
      'class Lock',
    ],
    [
      'class Lock {\npublic:\n    void open(int wait) {\n        level(wait);\n    }\nprivate:\n    int x;\n    void shut() {\n        a();\n    }\n};\n',
      'a()',
      'class Lock > void shut',
    ],
    [
      'class Lock {\n  constructor() {\n    this.level()\n  }\n  private name: string = read(\n    1,\n  )\n}\n',
      'private name',
      'class Lock',
    ],
    [
      'public class Lock : Gate {\n    int a;\n}\npublic class Door : Gate {\n    int b;\n}\n',
      'int b',
      'public class Door : Gate',
    ],
    [
      'int open(int wait) {\n    level(wait);\n#ifdef DEBUG\n    print(wait);\n#endif\n    return shut(wait);\n}\n',
      'return shut',
      'int open',
    ],
    [
      'class A {\n  run() {\n    a.then(() => {\n      b.then(() => {\n        c.then(() => {\n          d.then(() => {\n            one()\n          })\n        })\n      })\n    })\n  }\n}\n',
      'one()',
      'class A > run',
    ],
  ])('%#: what %s is in', (text, part, path) => {
    expect(pathAt(text, part)).toBe(path)
  })

  it.each([
    ["it('opens', () => {\n  gate.open()\n})\n", 'gate.open'],
    ['return new Promise(resolve => {\n  gate.open(resolve)\n})\n', 'gate.open'],
    ['(function () {\n  gate.open()\n})()\n', 'gate.open'],
    ['module.exports = {\n  gate: gate.open(),\n}\n', 'gate.open'],
    ['const record = {\n  gate: gate.open(),\n}\n', 'gate.open'],
    ['std::for_each(all.begin(), all.end(), [&](int x) {\n    gate.open(x);\n});\n', 'gate.open'],
    ['http.HandleFunc("/", func(w http.ResponseWriter) {\n\tgate.open(w)\n})\n', 'gate.open'],
    ['"type": {\n  "gate": gate.open(),\n}\n', 'gate.open'],
    ['const all = items.map(item => {\n  gate.open(item)\n})\n', 'gate.open'],
  ])('%#: has no name for a call or a value', (text, part) => {
    expect(pathAt(text, part)).toBe('')
  })

  it.each([
    'using (var gate = find()) {',
    'lock (gate) {',
    'synchronized (this) {',
    'if (gate.ok()) {',
    'runLater(() -> {',
    'list_for_each_entry(p, head, member) {',
    'Schema::create("x", function () {',
  ])('has no name for %s inside of a function', line => {
    const text = `class Lock {\n    void run(int wait) {\n        ${line}\n            gate.open();\n        }\n    }\n}\n`
    expect(pathAt(text, 'gate.open')).toBe('class Lock > void run')
  })

  it('has four names at most, short ones, and no separator of a path inside of them', () => {
    const deep = Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}class Gate${at}:\n`).join('')
    const inner = ['class Gate1996', 'class Gate1997', 'class Gate1998', 'class Gate1999']
    expect(pathAt(`${deep}${' '.repeat(2_000)}shut()\n`, 'shut()')).toBe(inner.join(' > '))
    expect(pathAt(`class ${'x'.repeat(100_000)}:\n    shut()\n`, 'shut()')).toBe('')
    expect(pathAt('bool operator > (Gate other) {\n    return shut();\n}\n', 'shut()')).toBe('bool operator>')
  })

  it('has the block that holds both of two', () => {
    const blocks = namedBlocks(PYTHON, statementsOf(PYTHON))
    fc.assert(
      fc.property(fc.nat(blocks.length - 1), fc.nat(blocks.length - 1), (left, right) => {
        const [a, b] = [blockPath(blocks[left] ?? null), blockPath(blocks[right] ?? null)].map(path =>
          path.split(' > '),
        )
        const differs = a?.findIndex((name, at) => name !== b?.[at]) ?? 0
        const common = differs < 0 ? a : a?.slice(0, differs)
        expect(blockPath(commonBlock(blocks[left] ?? null, blocks[right] ?? null))).toBe(common?.join(' > '))
      }),
    )
  })

  it('are known of hostile code', () => {
    for (const text of [
      '{'.repeat(100_000),
      'a(\n'.repeat(30_000),
      `class A ${'{ '.repeat(50_000)}\n  b\n`,
      'public:\n'.repeat(20_000),
      `f${'<'.repeat(50_000)}(x) {\n  b\n`,
    ])
      expect(namedBlocks(text, statementsOf(text)).length).toBeGreaterThan(0)
  })
})

import { describe, expect, it } from 'vitest'
import { chunkMarkdown } from '../../src/ingest/chunking/chunk-markdown.ts'

const count = (text: string): number => Math.ceil(text.length / 4)
const chunk = (text: string, overlap = 0) => chunkMarkdown({ text }, { targetTokens: 60, overlap, count })
const rowsIn = (texts: readonly string[]) =>
  texts.flatMap(text => Array.from(text.matchAll(/basin(\d+)/g), ([, at]) => Number(at)))
const upTo = (most: number) => Array.from({ length: most }, (_, at) => at)

describe('chunkMarkdown, tables in list items', () => {
  const rows = upTo(60).map(at => `   | basin${at} | ${at} m |`)
  const steps = (table: readonly string[]) =>
    [
      '1. Open the gate.',
      '2. Look up the depth:',
      '',
      ...table,
      '',
      '   Write it down.',
      '3. Close the gate.',
      '',
      'Done.',
    ].join('\n')

  it.each([0, 0.2])('are cut at their rows, each part under the head, with overlap %s', overlap => {
    const text = steps(['   | basin | depth |', '   |---|---|', ...rows])
    const texts = chunk(text, overlap).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(5)
    for (const part of texts.filter(own => /basin\d/.test(own)))
      expect(part.slice(0, part.search(/basin\d/))).toMatch(/\| basin \| depth \|\n {3}\|---\|---\|\n {3}\| $/)
    expect(rowsIn(texts)).toEqual(upTo(60))
    expect(texts.at(-1)).toContain('Write it down.\n3. Close the gate.')
  })

  it('keep the heads of several tables apart', () => {
    const table = (name: string) => [
      `- | ${name} | depth |`,
      '  |---|---|',
      ...upTo(30).map(at => `  | basin${at} | ${name} ${at} |`),
    ]
    const texts = chunk([...table('north'), ...table('south')].join('\n')).map(piece => piece.text)
    for (const [first = '', ...rest] of texts.map(own =>
      own.split('\n').filter(line => line.includes('basin') || line.includes('depth')),
    )) {
      const name = /north|south/.exec(first)?.[0]
      expect(first).toContain('depth')
      if (!rest.some(line => line.includes('depth'))) for (const line of rest) expect(line).toContain(name)
    }
    expect(rowsIn(texts)).toEqual([...upTo(30), ...upTo(30)])
  })
})

describe('chunkMarkdown, tables whose rows or heads are long', () => {
  it('are not cut inside a row that is shorter than three chunks', () => {
    const rows = upTo(8).map(at => `| basin${at} | ${'It fills at noon, and empties at night. '.repeat(9)}| b${at} |`)
    const head = '| basin | use | name |\n|---|---|---|'
    const texts = chunk(`# Basins\n\n${head}\n${rows.join('\n')}\n`).map(piece => piece.text)
    expect(texts).toEqual([`# Basins\n\n${head}\n${rows[0]}`, ...rows.slice(1).map(row => `${head}\n${row}`)])
  })

  it('are cut inside a row that is longer: its parts have its first cell, and the next row has the head', () => {
    const head = '| basin | use | name |\n|---|---|---|'
    const rowOf = (at: number, times: number) => `| basin${at} | ${'It fills at noon. '.repeat(times)}| b${at} |`
    const rows = [rowOf(0, 3), rowOf(1, 90), rowOf(2, 3), rowOf(3, 3)]
    const texts = chunk(`# Basins\n\n${head}\n${rows.join('\n')}\n`).map(piece => piece.text)
    const parts = texts.filter(text => text.startsWith('| basin1 |\nIt fills at noon.'))
    expect(parts.length).toBeGreaterThan(3)
    for (const part of parts) expect(part).not.toMatch(/---|basin[023]/)
    const others = texts.filter(text => !parts.includes(text))
    for (const text of others) expect(text).toMatch(/\|---\|---\|---\|\n\| basin\d/)
    expect(rowsIn(others)).toEqual([0, 1, 2, 3])
  })

  it('have their head in each part of a row that is longer and has an empty first cell', () => {
    const head = '| basin | use |\n|---|---|'
    const texts = chunk(`${head}\n| | ${'It fills at noon. '.repeat(90)}|\n`).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const part of texts) expect(part.startsWith(`${head}\n`)).toBe(true)
  })

  it('have a head of up to the size of a chunk in each part', () => {
    const head = `| ${upTo(9)
      .map(at => `depth in year ${at}`)
      .join(' | ')} |\n${'|---'.repeat(9)}|`
    expect(count(head)).toBeGreaterThan(30)
    const rows = upTo(20).map(at => `| basin${at} ${'| 1 m '.repeat(8)}|`)
    const texts = chunk(`${head}\n${rows.join('\n')}\n`).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const part of texts) expect(part.startsWith(`${head}\n| basin`)).toBe(true)
    expect(rowsIn(texts)).toEqual(upTo(20))
  })
})

describe('chunkMarkdown, tables that are drawn with signs', () => {
  const rule = '+---------+---------------+'
  const rows = upTo(40).flatMap(at => [`| basin${at}  | holds water   |`, '|         | and two ships |', rule])

  it('are cut between their rows, each part under the head', () => {
    const head = [rule, '| name    | use           |', '+=========+===============+']
    const texts = chunk(['# Basins', '', ...head, ...rows, '', 'They are deep.'].join('\n')).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(5)
    for (const part of texts) {
      expect(part).toContain(`${head.join('\n')}\n| basin`)
      expect(part).toMatch(/\+\n*$|They are deep\.$/)
    }
    expect(rowsIn(texts)).toEqual(upTo(40))
  })

  const HEAD = [rule, '| name    | use           |', rule]

  it.each([
    ['alone', [], []],
    [
      'between the command and the number of rows',
      ['mysql> SELECT name, use FROM basins;'],
      ['40 rows in set (0.00 sec)'],
    ],
    ['with text around them in one paragraph', ['The gates print this:'], ['', 'They are deep.']],
  ])('have the names above the second rule as their head where no rule parts the rows, %s', (_, above, below) => {
    const lines = upTo(40).map(at => `| basin${at}  | holds water   |`)
    const texts = chunk([...above, ...HEAD, ...lines, rule, ...below].join('\n')).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const part of texts) expect(part).toContain(`${HEAD.join('\n')}\n| basin`)
    expect(rowsIn(texts)).toEqual(upTo(40))
  })

  it.each([
    ['fenced code', '```sql\n', '\n```', ''],
    ['indented code', '', '', '    '],
  ])(
    'have their head in each part in %s, whose fences stand in the first and the last part',
    (_, open, end, indent) => {
      const lines = upTo(40).map(at => `| basin${at}  | holds water   |`)
      const printed = (command: string) => [`mysql> ${command};`, ...HEAD, ...lines, rule, '40 rows in set', '']
      const code = [...printed('SELECT basins'), ...printed('SELECT again')].map(line => indent + line).join('\n')
      const texts = chunk(`# Basins\n\n${open}${code}${end}\n`).map(piece => piece.text)
      expect(texts.length).toBeGreaterThan(6)
      const head = HEAD.map(line => indent + line).join('\n')
      for (const part of texts) expect(part).toContain(`${head}\n${indent}| basin`)
      expect(rowsIn(texts)).toEqual([...upTo(40), ...upTo(40)])
      expect(texts[0]?.startsWith(`# Basins\n\n${open}${indent}mysql> SELECT basins;\n${head}`)).toBe(true)
      expect(texts.at(-1)?.endsWith(`40 rows in set${end && `\n${end}`}`)).toBe(true)
    },
  )

  it.each([
    ['thin lines', '┌┬┐', '├┼┤', '│', '─'],
    ['round corners', '╭┬╮', '├┼┤', '│', '─'],
    ['double lines', '╔╦╗', '╠╬╣', '║', '═'],
  ])('have their head in each part in boxes of %s', (_, top, middle, bar, line) => {
    const ruleOf = ([left, cross, right]: string) => `${left}${line.repeat(9)}${cross}${line.repeat(15)}${right}`
    const head = [ruleOf(top), `${bar} name    ${bar} use           ${bar}`, ruleOf(middle)].join('\n')
    const lines = upTo(40).map(at => `${bar} basin${at}  ${bar} holds. Water  ${bar}`)
    const texts = chunk(`Basins:\n\n${head}\n${lines.join('\n')}\n`).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const part of texts) expect(part).toContain(`${head}\n${bar} basin`)
    expect(rowsIn(texts)).toEqual(upTo(40))
  })

  it('are no trees of folders', () => {
    const tree = upTo(60).map(at => `├── basin${at}. Deep`)
    const texts = chunk(`Basins:\n\n${tree.join('\n')}\n└── end\n`).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const part of texts.slice(1)) expect(part).toMatch(/^├── basin/)
    expect(rowsIn(texts)).toEqual(upTo(60))
  })

  it('are not cut where a cell goes on in the next line', () => {
    const lines = upTo(20).flatMap(at => [`| basin${at}  | holds water   |`, '|         | and two ships |'])
    const texts = chunk([...HEAD, ...lines, rule].join('\n')).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const part of texts) expect(part).toMatch(/and two ships \|(?:\n\+[-+]+\+)?$/)
    expect(rowsIn(texts)).toEqual(upTo(20))
  })

  it('have no head where one row of several lines stands below the second rule', () => {
    const first = ['| basin0  | holds water   |', '| of two  | and two ships |']
    const lines = upTo(40).map(() => '|         | and two ships |')
    const texts = chunk([...HEAD, ...first, ...lines, rule].join('\n')).map(piece => piece.text)
    expect(texts.length).toBeGreaterThan(3)
    for (const name of ['| name ', '| basin0 ', '| of two ']) expect(texts.join('\n').split(name)).toHaveLength(2)
  })

  it('have no head where a rule stands below each row', () => {
    const texts = chunk([rule, ...rows].join('\n')).map(piece => piece.text)
    for (const part of texts.slice(1)) expect(part).toMatch(/^\| basin\d+ /)
    expect(rowsIn(texts)).toEqual(upTo(40))
  })

  it.each([
    ['one rule', `+${'-'.repeat(100_000)}`],
    ['rules', '+-+\n'.repeat(25_000)],
    ['rows between rules', '+-+\n|a|\n'.repeat(12_500)],
    ['heads', `${'+=+\n'.repeat(25_000)}| a |`],
    ['a wide head in an item', `- ${'|a'.repeat(16_000)}\n  ${'|-'.repeat(16_000)}\n${'  |b\n'.repeat(8_000)}`],
  ])('lose no sign of 100 kB of %s', (_, text) => {
    const signs = (own: string): number => own.replace(/\s/g, '').length
    const texts = chunk(`Signs.\n\n${text}\n\nEnd.`).map(piece => piece.text)
    expect(signs(texts.join(''))).toBeGreaterThanOrEqual(signs(text))
  })
})

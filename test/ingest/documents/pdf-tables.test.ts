import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Line, Segment } from '../../../src/ingest/documents/pdf/page-text.ts'
import { readTable } from '../../../src/ingest/documents/pdf/tables/aligned.ts'
import { cellsOf } from '../../../src/ingest/documents/pdf/tables/tagged-cells.ts'
import { withTaggedTables } from '../../../src/ingest/documents/pdf/tables/tagged-tables.ts'
import { toMarkdown } from '../../../src/ingest/documents/pdf/to-markdown.ts'
import { LEADING, LETTER, linesOf, page, segment, tagged } from './support/pdf-lines.ts'

const word = fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 2, maxLength: 7 })
/** A cell of one to four lines. */
const cell = fc.array(word, { minLength: 1, maxLength: 4 })
const grid = fc
  .record({
    columns: fc.integer({ min: 2, max: 6 }),
    rows: fc.integer({ min: 3, max: 8 }),
    padding: fc.integer({ min: 3, max: 9 }),
    isCentred: fc.boolean(),
    isRight: fc.boolean(),
  })
  .chain(shape =>
    fc.record({
      shape: fc.constant(shape),
      cells: fc.array(fc.array(cell, { minLength: shape.columns, maxLength: shape.columns }), {
        minLength: shape.rows,
        maxLength: shape.rows,
      }),
    }),
  )
  // In each row one cell has a line only: else nothing tells that the others are one cell.
  .map(({ shape, cells }) => ({
    shape,
    cells: cells.map((row, at) =>
      row.map((lines, column) => (column === at % shape.columns ? lines.slice(0, 1) : lines)),
    ),
  }))

it('reads the cells of drawn tables, also with several lines, in the middle of their rows or at the right of their columns', () => {
  fc.assert(
    fc.property(grid, ({ shape, cells }) => {
      const segments: Segment[] = []
      let y = 100
      for (const row of cells) {
        const most = Math.max(...row.map(lines => lines.length))
        for (const [column, lines] of row.entries()) {
          const top = y + (shape.isCentred ? ((most - lines.length) * LEADING) / 2 : 0)
          for (const [at, text] of lines.entries()) {
            const left = 60 + 80 * column + (shape.isRight ? LETTER * (7 - text.length) : 0)
            segments.push(segment(text, left, top + at * LEADING))
          }
        }
        y += most * LEADING + shape.padding
      }
      const lines = linesOf(segments)
      // A first line of a cell in the first column alone looks like a paragraph.
      fc.pre((lines[0]?.cells.length ?? 0) > 1)
      const expected = cells.map(row => row.map(texts => texts.join('\n')))
      expect(readTable(lines, 0)).toMatchObject({ lines: lines.length, rows: expected })
    }),
    { numRuns: 300 },
  )
})

it('keeps the rows of a table whose lines are equally far apart, and those that stand apart in groups', () => {
  const names = ['Rope', 'Lamp', 'Buoy', 'Mast', 'Sail', 'Keel']
  const rows = names.map(name => [name, `${name} of the harbour`])
  for (const gap of [0, 8]) {
    const lines = page(
      ...rows.map(([left = '', right = ''], at): [number, [number, string], [number, string]] => [
        100 + 14 * at + (at > 2 ? gap : 0),
        [60, left],
        [200, right],
      ]),
    )
    expect(readTable(lines, 0)).toMatchObject({ lines: 6, rows })
  }
})

it('puts a name above a group of rows in a row of its own, and ends before a line that stands apart', () => {
  const lines = page(
    [100, [60, 'Asset'], [200, '2025'], [300, '2024']],
    [114, [60, 'Current']],
    [128, [60, 'Cash'], [200, '12'], [300, '14']],
    [142, [60, 'Stock'], [200, '7'], [300, '9']],
    [170, [60, 'In crowns']],
  )
  const rows = [
    ['Asset', '2025', '2024'],
    ['Current', '', ''],
    ['Cash', '12', '14'],
    ['Stock', '7', '9'],
  ]
  expect(readTable(lines, 0)).toMatchObject({ lines: 4, rows })
})

it('gives the lines of a cell in the middle of its row to this row, where rows stand as close as lines', () => {
  const lines = page(
    [100, [60, 'sudo'], [120, '5990'], [200, 'limited rights']],
    [112, [200, 'editor for']],
    [118, [60, 'vim'], [120, '3570']],
    [124, [200, 'programmers']],
    [136, [60, 'mc'], [120, '1482'], [200, 'manager of files']],
    [148, [200, 'on a screen']],
  )
  expect(readTable(lines, 0)?.rows).toEqual([
    ['sudo', '5990', 'limited rights'],
    ['vim', '3570', 'editor for\nprogrammers'],
    ['mc', '1482', 'manager of files\non a screen'],
  ])
})

it('parts cells with a narrow gap where other rows have the columns', () => {
  const lines = page(
    [100, [60, 'Rope'], [120, 'Metres'], [190, 'Crowns']],
    [114, [60, 'Hawser'], [98, '40'], [190, '120']],
    [128, [60, 'Line'], [120, '25'], [190, '18']],
  )
  expect(lines[1]?.cells).toHaveLength(2)
  const whole = page(
    [100, [60, 'Rope'], [120, 'Metres'], [190, 'Crowns']],
    [114, [60, 'Hawser'], [120, '40'], [190, '120']],
    [128, [60, 'Line of hemp'], [128, '25'], [190, '18']],
  )
  expect(readTable(whole, 0)?.rows[2]).toEqual(['Line of hemp', '25', '18'])
})

it.each([
  [
    'lines of prose with wide gaps',
    page(
      [100, [60, 'It'], [90, 'would'], [140, 'also'], [180, 'be'], [210, 'possible']],
      [112, [60, 'to'], [100, 'moor there at night in a storm']],
    ),
  ],
  ['items', page([100, [60, '•'], [80, 'Ropes']], [114, [60, '•'], [80, 'Lamps']], [128, [60, '•'], [80, 'Buoys']])],
  [
    'entries of contents',
    page([100, [60, 'Ropes . . . . . . .'], [300, '3']], [114, [60, 'Lamps . . . . . . .'], [300, '9']]),
  ],
])('is no table: %s', (_, lines) => {
  for (const start of lines.keys()) expect(readTable(lines, start)).toBeNull()
})

it('tells names with descriptions from a table, which has a head', () => {
  const names = page(
    [100, [60, '2019'], [120, 'Harbour master of Northport, who keeps the ropes in order and sees']],
    [112, [120, 'to it that the lamps are lit, each evening, before the sun has gone']],
    [130, [60, '2012'], [120, 'Ferry captain of the line to the islands, in summer and in winter, with']],
    [142, [120, 'a crew of four, and a cook who was afraid of the sea from the first']],
  )
  expect(readTable(names, 0)).toMatchObject({ lines: 4, isDescriptions: true })
  const headed = page(
    [82, [60, 'Year'], [120, 'Post']],
    ...names.map((line): Parameters<typeof page>[number] => [
      line.y,
      ...line.cells.map((cell): [number, string] => [cell.x0, cell.text]),
    ]),
  )
  expect(readTable(headed, 0)).toMatchObject({ lines: 5, isDescriptions: false })
})

it('joins words that a narrow cell breaks, when the document has them elsewhere', () => {
  const [line] = page([100, [60, 'The leasehold is long-term, and the inside is in view of the side.']])
  const rows = [
    ['Tenure', 'Plan'],
    ['Leasehol\nd to\n2033', 'Long-\nterm'],
    ['In\nside', 'Right-\nof-way'],
  ]
  const { text } = toMarkdown(
    [
      { kind: 'paragraph', lines: [line as Line] },
      { kind: 'table', rows, pages: [0, 0, 0] },
    ],
    1,
  )
  expect(text).toContain('| Leasehold to 2033 | Long-term |\n| In side | Right-of-way |')
})

it('joins the lines of cells with words of 100,000 letters', () => {
  const long = 'a'.repeat(100_000)
  const rows = [
    ['Rope', 'Lamp'],
    [`${long}.\n${long}1\n${long}`, 'x'],
  ]
  const { text } = toMarkdown([{ kind: 'table', rows, pages: [0, 0] }], 1)
  expect(text).toContain(`| ${long}. ${long}1 ${long} | x |`)
})

it('reads hundreds of lines whose cells stand anywhere, without trying all of their parts', () => {
  const cells = (line: number): [number, string][] =>
    Array.from({ length: 6 }, (_, at) => [50 + 80 * at + ((line * 37 + at * 61) % 53), 'ab cd'])
  const lines = page(...Array.from({ length: 300 }, (_, at): [number, ...[number, string][]] => [6 * at, ...cells(at)]))
  let found = 0
  for (const start of lines.keys()) found += readTable(lines, start) === null ? 0 : 1
  expect(found).toBeLessThan(lines.length)
})

const content = (id: string) => ({ type: 'content', id })
const node = (role: string, ...children: object[]) => ({ role, children })

it('numbers the cells of a tagged table, and leaves those that only place headings and tables on a page', () => {
  const row = (role: string, ...names: string[]) => node('TR', ...names.map(name => node(role, content(name))))
  const table = node('Table', node('THead', row('TH', 'a', 'b')), node('TBody', row('TD', 'c', 'd')))
  expect([...cellsOf(table, 3).values()]).toEqual([
    { table: 3, row: 0, place: 0, isHead: true },
    { table: 3, row: 0, place: 1, isHead: true },
    { table: 3, row: 1, place: 0, isHead: false },
    { table: 3, row: 1, place: 1, isHead: false },
  ])
  const placing = [
    node('Table', row('TD', 'a', 'b'), node('TR', node('TD', node('H2', content('c'))), node('TD', content('d')))),
    node('Table', row('TD', 'a', 'b'), node('TR', node('TD', table), node('TD', content('d')))),
  ]
  for (const layout of placing) expect(cellsOf(layout, 1).size).toBe(0)
})

it('leaves a tagged table with one row or one column as text', () => {
  const row = [tagged('North', 60, 100, [0, 0]), tagged('South', 200, 100, [0, 1])]
  const column = [tagged('North', 60, 100, [0, 0]), tagged('South', 60, 114, [1, 0])]
  for (const segments of [row, column]) expect(withTaggedTables([segments])).toEqual([segments])
})

it('puts a tagged table in the place of its text: rows with fewer cells by where these stand, several heads as one', () => {
  const before = segment('Berths of the harbour', 60, 80)
  const after = segment('Ask the harbour master.', 60, 190)
  const segments = [
    ...[before, after, tagged('Depth', 200, 100, [0, 0, true])],
    ...[tagged('Berth', 60, 114, [1, 0, true]), tagged('low', 200, 114, [1, 1, true])],
    ...[tagged('high', 300, 114, [1, 2, true]), tagged('North', 60, 128, [2, 0]), tagged('quay', 60, 140, [2, 0])],
    ...[tagged('4.1', 200, 134, [2, 1]), tagged('7.9', 300, 134, [2, 2]), tagged('closed', 300, 154, [3, 0])],
  ]
  const [first, table, last] = linesOf(withTaggedTables([segments])[0] ?? [])
  expect([first?.text, last?.text]).toEqual([before.text, after.text])
  expect(table?.table).toEqual({
    rows: [
      ['Berth', 'Depth low', 'high'],
      ['North\nquay', '4.1', '7.9'],
      ['', '', 'closed'],
    ],
    pages: [0, 0, 0],
    hasHead: true,
  })
})

import { describe, expect, it } from 'vitest'
import { toBlocks } from '../../../src/ingest/documents/pdf/blocks.ts'
import type { Line } from '../../../src/ingest/documents/pdf/page-text.ts'
import { readTable } from '../../../src/ingest/documents/pdf/tables/aligned.ts'
import { withNextPages } from '../../../src/ingest/documents/pdf/tables/continued.ts'
import { withTaggedTables } from '../../../src/ingest/documents/pdf/tables/tagged-tables.ts'
import { readFixture } from './support/pdf-fixtures.ts'
import { type DrawnLine, linesOf, pageAt, segment, tagged } from './support/pdf-lines.ts'

const HEAD: DrawnLine = [100, [60, 'Post'], [160, 'Pay'], [220, 'Remark']]
const TOP: DrawnLine[] = [
  HEAD,
  [118, [60, 'Harbour'], [160, '130'], [220, 'lives at the quay']],
  [130, [60, 'master']],
  [148, [60, 'Pilot, chair'], [160, '90'], [220, 'sees to it that the']],
]
const NEXT: DrawnLine[] = [
  [68, [60, 'Cook'], [160, '40'], [220, 'was afraid of']],
  [80, [220, 'the sea']],
  [98, [60, 'Smith'], [160, '30'], [220, 'mends chains']],
]
const rowsOf = (lines: Line[]) => {
  const table = readTable(lines, 0)
  return table && withNextPages(table, lines, 0, () => false)
}
const first = (lines: Line[]) => rowsOf(lines)?.rows.map(([text]) => text)

describe('tables without tags over pages', () => {
  it('reads the rows on the next pages, also a single one, with their pages', () => {
    const last: DrawnLine = [50, [60, 'Boy'], [160, '5'], [220, 'learns']]
    const lines = [...pageAt(0, ...TOP), ...pageAt(1, ...NEXT), ...pageAt(2, last)]
    const table = rowsOf(lines)
    expect(first(lines)).toEqual(['Post', 'Harbour\nmaster', 'Pilot, chair', 'Cook', 'Smith', 'Boy'])
    expect(table).toMatchObject({ lines: lines.length, pages: [0, 0, 0, 1, 1, 2] })
  })

  it('takes a repeated head once', () => {
    const lines = [...pageAt(0, ...TOP), ...pageAt(1, [50, ...HEAD.slice(1)] as unknown as DrawnLine, ...NEXT)]
    expect(first(lines)).toEqual(['Post', 'Harbour\nmaster', 'Pilot, chair', 'Cook', 'Smith'])
  })

  it('joins the rest of a row: a cell in lower case, or beside an empty first one', () => {
    const rest: DrawnLine[] = [[50, [60, 'of the board'], [220, 'lamps are lit']]]
    const lines = [...pageAt(0, ...TOP), ...pageAt(1, ...rest, ...NEXT)]
    expect(rowsOf(lines)?.rows[2]).toEqual(['Pilot, chair\nof the board', '90', 'sees to it that the\nlamps are lit'])
    const beside = [...pageAt(0, ...TOP), ...pageAt(1, [50, [220, 'Lamps are lit']], ...NEXT)]
    expect(rowsOf(beside)?.rows[2]).toEqual(['Pilot, chair', '90', 'sees to it that the\nLamps are lit'])
  })

  it.each<[string, DrawnLine]>([
    ['a row with numbers and no name', [50, [160, '260'], [220, 'in all']]],
    [
      'a row with all cells, whose name is in lower case',
      [50, [60, 'from May'], [160, '5 crowns'], [220, 'lives at the quay']],
    ],
    ['a row whose name begins like the others', [50, [60, 'Mate'], [220, 'was never seen']]],
  ])('keeps %s as a row of its own', (_, row) => {
    const lines = [...pageAt(0, ...TOP), ...pageAt(1, row, ...NEXT)]
    expect(rowsOf(lines)?.rows).toHaveLength(6)
  })

  it.each<[string, DrawnLine[]]>([
    ['prose', [[50, [60, 'The pay holds until the autumn fair, when the harbour board meets again in the hall.']]]],
    ['a single cell that begins like the others', [[50, [60, 'Mate']], ...NEXT]],
    [
      'columns at other places',
      NEXT.map(([y, ...cells]) => [y, ...cells.map(([x, text]) => [x + 9, text])] as DrawnLine),
    ],
    ['a line after an empty page', []],
  ])('ends before %s on the next page', (_, next) => {
    const lines = [...pageAt(0, ...TOP), ...pageAt(1, ...next), ...pageAt(3, ...NEXT)]
    expect(rowsOf(lines)).toMatchObject({ lines: TOP.length, pages: [0, 0, 0] })
  })

  it('reads a table over 500 pages', () => {
    const pages = Array.from({ length: 500 }, (_, at) =>
      pageAt(
        at,
        HEAD,
        ...Array.from(
          { length: 30 },
          (_, row): DrawnLine => [118 + 18 * row, [60, `n${at}`], [160, `${row}`], [220, 'x']],
        ),
      ),
    )
    expect(rowsOf(pages.flat())?.rows).toHaveLength(1 + 500 * 30)
  })
})

describe('tagged tables over pages', () => {
  const head = (y: number) => [tagged('Post', 60, y, [0, 0, true]), tagged('Remark', 220, y, [0, 1, true])]
  const row = (at: number, y: number, ...[name, remark]: string[]) => [
    tagged(name as string, 60, y, [at, 0]),
    tagged(remark as string, 220, y, [at, 1]),
  ]
  const tablesOf = (pages: Parameters<typeof withTaggedTables>[0]) =>
    withTaggedTables(pages).map(segments => segments.map(({ table, text }) => table?.rows ?? text))

  it('puts the rows of all pages on the first one, with one head, and joins the rest of a row', () => {
    const pages = [
      [segment('Posts', 60, 80), ...head(100), ...row(1, 118, 'Pilot', 'sees to it that')],
      [...head(50), tagged('the lamps are lit', 220, 68, [1, 0]), ...row(2, 86, 'Cook', 'Mends the nets')],
      [...row(0, 50, 'Smith', 'Mends chains'), segment('The end', 60, 200)],
    ]
    const rows = [
      ['Post', 'Remark'],
      ['Pilot', 'sees to it that\nthe lamps are lit'],
      ['Cook', 'Mends the nets'],
      ['Smith', 'Mends chains'],
    ]
    expect(tablesOf(pages)).toEqual([['Posts', rows], [], ['The end']])
    const [, table] = withTaggedTables(pages)[0] ?? []
    expect(table?.table?.pages).toEqual([0, 0, 1, 2])
  })

  it('keeps tables with other heads or other columns apart, and those with text between them', () => {
    const first = [...head(100), ...row(1, 118, 'Pilot', 'Lights the lamps')]
    const others = [
      [tagged('Rope', 60, 50, [0, 0, true]), tagged('Metres', 220, 50, [0, 1, true]), ...row(1, 68, 'Line', '40')],
      [...row(0, 68, 'Cook', 'Fries'), ...row(1, 86, 'Boy', 'Eats')].map(part => ({
        ...part,
        x0: part.x0 + 9,
        x1: part.x1 + 12,
      })),
      [segment('Ropes', 60, 40), ...row(0, 68, 'Cook', 'Fries'), ...row(1, 86, 'Boy', 'Eats')],
    ]
    for (const other of others) {
      const [before, after] = tablesOf([first, other])
      expect(before).toEqual([
        [
          ['Post', 'Remark'],
          ['Pilot', 'Lights the lamps'],
        ],
      ])
      expect(after?.at(-1)).toHaveLength(2)
    }
  })
})

it.each(['chromium-tables.pdf', 'chromium-parted.pdf', 'chromium-parted-plain.pdf', 'weasyprint-parted.pdf'])(
  'reads %s with one head for the table over three pages',
  async name => {
    const document = await readFixture(name)
    expect('text' in document && document.text.match(/^\| Day \| /gm)).toHaveLength(1)
  },
)

it('joins a tagged paragraph over two pages whose sentence goes on, and no item', () => {
  const full = `${'lamp '.repeat(18)}and bell`
  const kinds = (item: number | null, next: string) => {
    const lines = [full, next].flatMap((text, index) => {
      const tag = { block: 10 + index, headingLevel: 0, item: item === null ? null : 10 + index, cell: null }
      return linesOf([segment(text, 60, 100, tag)], index)
    })
    return toBlocks(lines, { found: new Map(), source: 'unknown' }).map(({ kind }) => kind)
  }
  expect(kinds(null, 'are brought along')).toEqual(['paragraph'])
  expect(kinds(null, 'Boats are brought along')).toEqual(['paragraph', 'paragraph'])
  expect(kinds(10, 'are brought along')).toEqual(['item', 'item'])
})

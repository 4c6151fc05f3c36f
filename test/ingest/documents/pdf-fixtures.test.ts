import { describe, expect, it } from 'vitest'
import { findHeadings } from '../../../src/ingest/documents/pdf/headings.ts'
import type { Line, Segment } from '../../../src/ingest/documents/pdf/page-text.ts'
import { readPdf } from '../../../src/ingest/documents/pdf/read-pdf.ts'
import { withoutContents, withoutRunningLines } from '../../../src/ingest/documents/pdf/running-lines.ts'
import { checkFixture, EXPECTED, type Expected, readFixture } from './support/pdf-fixtures.ts'

// One file of each way of finding headings and tables. The whole set is read by `npm run test:services`.
const SOME = [
  'ghostscript-report.pdf',
  'groff-letter.pdf',
  'libreoffice-tagged.pdf',
  'weasyprint-outline.pdf',
  'chromium-tables.pdf',
  'weasyprint-tables.pdf',
  'chromium-lists.pdf',
  'chromium-lists-plain.pdf',
  'latex-lists.pdf',
  'chromium-parted.pdf',
  'chromium-parted-plain.pdf',
]

describe('readPdf', () => {
  it.each(SOME)('reads %s in order, with its headings and pages', async name => {
    await checkFixture(name, EXPECTED[name] as Expected)
  })

  it('names why a file cannot be read', async () => {
    expect(await readFixture('img2pdf-scan.pdf')).toEqual({
      fault: 'no text layer',
      reason: 'has no text layer: it needs OCR',
    })
    expect(await readPdf(Buffer.from('# Just text'))).toMatchObject({ fault: 'not a PDF' })
    expect(await readPdf(Buffer.from('%PDF-1.7\nnothing more'))).toMatchObject({ fault: 'damaged' })
  })
})

describe('withoutRunningLines', () => {
  const segment = (text: string, x0: number, y: number): Segment => {
    const [isBold, isMonospaced, isRightToLeft] = [false, false, false]
    return { text, x0, x1: x0 + 40, y, size: 10, isBold, isMonospaced, isRightToLeft, tag: null }
  }
  const row = (y: number, left: string, right: string) => [segment(left, 50, y), segment(right, 200, y)]
  const textOf = (pages: Segment[][]) => pages.map(page => page.map(({ text }) => text).join(' '))

  it('keeps the head of a table that every page repeats, and drops a header with the same cells', () => {
    const tables = [1, 2, 3, 4].map(page => [
      ...row(60, 'Month', 'Factor'),
      ...['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul'].flatMap((name, at) =>
        row(75 + 15 * at, `${name}${'abcd'[page - 1]}`, `x${name}`),
      ),
    ])
    expect(textOf(withoutRunningLines(tables)).every(text => text.startsWith('Month Factor Jan'))).toBe(true)
    const headed = tables.map(page => [...row(20, 'Harbour', 'Office'), ...page])
    expect(textOf(withoutRunningLines(headed)).every(text => text.startsWith('Month Factor Jan'))).toBe(true)
  })
})

describe('withoutRunningLines, at page breaks', () => {
  const segment = (text: string, y: number): Segment => {
    const [isBold, isMonospaced, isRightToLeft] = [false, false, false]
    return { text, x0: 50, x1: 150, y, size: 10, isBold, isMonospaced, isRightToLeft, tag: null }
  }
  const pagesOf = (last: readonly string[], first: readonly string[]) =>
    Array.from({ length: 3 }, (_, page) =>
      [first[page], `Line ${page}`, `Text ${page}`, last[page]].flatMap((text, at) =>
        text ? [segment(text, 50 + 100 * at + 20 * page)] : [],
      ),
    )
  const textOf = (pages: Segment[][]) => pages.flat().map(({ text }) => text)
  const [ON, FROM] = ['(continues on next page)', '(continued from previous page)']

  it('leaves out notes that stand at several of them, wherever the page ends', () => {
    const pages = pagesOf([ON, ON, 'The end.'], ['It begins.', FROM, FROM])
    const kept = ['It begins.', 'Line 0', 'Text 0', 'Line 1', 'Text 1', 'Line 2', 'Text 2', 'The end.']
    expect(textOf(withoutRunningLines(pages))).toEqual(kept)
  })

  it.each([
    ['at one page break', [ON, 'A sentence ends.'], ['', FROM, 'It begins.']],
    ['that are one line', [ON, ON], ['', ON, ON]],
    ['without words', ['}', '}'], ['', 'end', 'end']],
    ['that count', ['row 1', 'row 3'], ['', 'the row 2', 'the row 4']],
  ])('keeps lines %s', (_, last, first) => {
    const pages = pagesOf(last, first)
    expect(withoutRunningLines(pages)).toEqual(pages)
  })

  it('keeps lines of pages that are there several times, such as a letter of two pages to several people', () => {
    const letter = (to: number) =>
      [
        [`Dear ${'Zoë Ann Ilse'.split(' ')[to]}`, 'We write to you', 'about the gauge in'],
        ['the harbour of Zoë', 'which sinks', 'Yours truly'],
      ].map(texts => texts.map((text, at) => segment(text, 50 + 100 * at + 20 * to)))
    const pages = [0, 1, 2].flatMap(letter)
    expect(withoutRunningLines(pages)).toEqual(pages)
  })
})

describe('findHeadings, by an outline', () => {
  const linesOf = (...pages: string[][]) =>
    pages.flatMap((texts, page) => texts.map(text => ({ text, page, size: 10 }) as Line))
  const outline = [{ title: 'Ropes', page: 1, level: 1 }]

  it.each([
    ['takes the label above a title at the top of a page with it', ['CHAPITRE 5', 'Ropes', 'Take it.'], [1, 2]],
    ['leaves a line that is no label', ['For all', 'Ropes', 'Take it.'], [2, 1]],
    ['leaves a label below the top of the page', ['See', 'Chapter 5', 'Ropes', 'Take it.'], [3, 1]],
  ])('%s', (_, page, [index, lines]) => {
    // An index may put the same title into the outline once more.
    const { found } = findHeadings(linesOf(['Harbour'], page), [...outline, { title: 'Ropes', page: 1, level: 2 }])
    expect([...found]).toEqual([[index, { level: 1, lines }]])
  })
})

describe('withoutContents', () => {
  const names = ['1 Ropes', '1.1 Knots', '1.2 Eyes', '2 Lamps', '3 Tide tables', '4 Pilots']
  const entries = names.map((name, at) => `${name} . . . . . . . . . ${at + 3}`)
  const textOf = (pages: string[][]) =>
    withoutContents(pages.flatMap((lines, page) => lines.map(text => ({ text, page }) as Line))).map(({ text }) => text)

  it('leaves out lines with dots and a page whose names come back later', () => {
    const body = names.flatMap(name => [name.replace('tables', 'Tables'), 'Text ..... see 4'])
    expect(textOf([['Contents', ...entries], body])).toEqual(['Contents', ...body])
  })

  it('keeps the prices of a list, and a few lines', () => {
    const prices = [
      ['Prices', ...entries],
      ['Ropes', 'All prices in crowns.'],
    ]
    expect(textOf(prices)).toEqual(prices.flat())
    const few = [['Contents', ...entries.slice(0, 4)], names]
    expect(textOf(few)).toEqual(few.flat())
    const catalogue = [names.map((name, at) => `${name} ..... ${[120, 35, 80, 12, 240, 60][at]}`), names]
    expect(textOf(catalogue)).toEqual(catalogue.flat())
  })

  it('keeps lines without names, as forms have them', () => {
    const form = [names.map((_, at) => `........ ${at}`), ['---']]
    expect(textOf(form)).toEqual(form.flat())
  })

  it('leaves out lines without dots when their names come back on the pages that they say', () => {
    const chapters = ['1 Ropes', '2 Lamps', 'A Tide tables', '4. Pilots', 'Index']
    const pages = chapters.map(name => [name.replace(/^\S+ /, '').toUpperCase(), 'Berth 4', 'Text.'])
    const contents = chapters.map((name, at) => `${name} ${at + 1}`)
    expect(textOf([['Contents', ...contents], ...pages])).toEqual(['Contents', ...pages.flat()])
    const numbers = chapters.map((name, at) => `${name} ${[12, 3, 40, 7, 25][at]}`)
    for (const table of [numbers, contents.slice(0, 4)]) {
      const kept = [['Numbers', ...table], ...pages]
      expect(textOf(kept)).toEqual(kept.flat())
    }
    const rows = [contents, ...pages.map(() => ['Text.'])]
    expect(textOf(rows)).toEqual(rows.flat())
  })

  it('leaves out contents with a list of figures behind them', () => {
    const body = names.flatMap(name => [name, `Figure of ${name}`])
    const figures = names.map((name, at) => `Figure of ${name} ..... ${at + 3}`)
    expect(textOf([[...entries, ...figures], body])).toEqual(body)
  })
})

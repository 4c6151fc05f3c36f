import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunkMarkdown } from '../../../src/ingest/chunking/chunk-markdown.ts'
import { readSections } from '../../../src/ingest/chunking/sections.ts'
import { readCsv, readTsv } from '../../../src/ingest/documents/delimited/read-delimited.ts'
import { cellsOf } from '../../../src/text/sentences/table-row.ts'

function read(text: string | Uint8Array, reader = readCsv) {
  const document = reader(Buffer.from(text))
  if ('fault' in document) throw new Error(document.reason)
  return document
}

const textOf = (text: string | Uint8Array) => read(text).text
const long = (word: string) => `${word} again. `.repeat(60).trim()

/** A table of markdown back as rows of texts. */
function rowsOf(text: string): string[][] {
  const lines = text.trimEnd().split('\n')
  return [...lines.slice(0, 1), ...lines.slice(2)].map(line => cellsOf(line).map(cell => cell.trim()))
}

describe('a table of short rows', () => {
  it('becomes a table of markdown, with the names of the columns as its head', () => {
    expect(textOf('berth,depth,owner\nnorth,4.5,Port & Sons\nsouth,"3,2","Ada ""Bell"" Ltd"\n')).toBe(
      '| berth | depth | owner |\n| --- | --- | --- |\n| north | 4.5 | Port & Sons |\n| south | 3,2 | Ada "Bell" Ltd |\n',
    )
  })

  it.each([
    [',', 'berth,depth\nnorth,4\n'],
    [';', 'berth;depth\nnorth;4\n'],
    ['\t', 'berth\tdepth\nnorth\t4\n'],
    ['|', 'berth|depth\nnorth|4\n'],
    ['CRLF', 'berth,depth\r\nnorth,4\r\n'],
    ['CR', 'berth,depth\rnorth,4\r'],
    ['a byte order mark', '\uFEFFberth,depth\nnorth,4\n'],
    ['spaces before quotation marks', '"berth", "depth"\n"north", "4"\n'],
    ['empty lines and rows', '\n\nberth,depth\n,\n\nnorth,4\n,,\n'],
    ['empty columns', 'berth,,depth,\nnorth,,4,\n'],
  ])('is read with %s', (_, text) => {
    expect(rowsOf(textOf(text))).toEqual([
      ['berth', 'depth'],
      ['north', '4'],
    ])
  })

  it('is not parted at signs that other cells hold', () => {
    expect(rowsOf(textOf('berth;depth\nnorth;4,5\nsouth;3,2\n'))[1]).toEqual(['north', '4,5'])
    expect(rowsOf(textOf('berth,fees\nnorth,a;b;c\nsouth,d\n'))[1]).toEqual(['north', 'a;b;c'])
    expect(rowsOf(read('berth\tfees\nnorth, east\t1\nsouth, west\t2\n', readTsv).text)[1]).toEqual(['north, east', '1'])
  })

  it('keeps bars, line breaks and formulas inside of their cells', () => {
    const text = textOf('berth,note\nnorth,"a|b\n\nc"\nsouth,"=cmd|\'/c calc\'!A1"\neast,back\\|slash\n')
    expect(text.trimEnd().split('\n')).toHaveLength(5)
    expect(rowsOf(text).map(row => row[1])).toEqual(['note', 'a\\|b<br>c', "=cmd\\|'/c calc'!A1", 'back\\\\|slash'])
  })

  it('keeps rows that are shorter or longer than the head, and head names that repeat or are empty', () => {
    expect(rowsOf(textOf('a,a,,b\n1,2,3,4\n5\n6,7,8,9,10\n'))).toEqual([
      ['a', 'a', '', 'b'],
      ['1', '2', '3', '4'],
      ['5', '', '', ''],
      ['6', '7', '8', '9', '10'],
    ])
  })

  it.each([
    ['numbers', 'north,4\nsouth,3\n'],
    ['dates', 'north,2026-03-01\nsouth,2026-03-02\n'],
    ['times with a zone', '2026-03-01T10:00:00Z,north\n2026-03-01T11:00:00Z,south\n'],
    ['addresses', 'north,https://port.example\nsouth,https://quay.example\n'],
    ['mail', 'ada,ada@port.example\nzoe,zoe@port.example\n'],
  ])('has no names of columns when its first row has %s', (_, text) => {
    const [head, ...rows] = rowsOf(textOf(text))
    expect(head).toEqual(['', ''])
    expect(rows).toHaveLength(2)
  })

  it('takes years that count up for names', () => {
    expect(rowsOf(textOf('port,2024,2025\nnorth,4,5\n'))[0]).toEqual(['port', '2024', '2025'])
  })

  it('finds the names below the lines that a report begins with, and shifts them when the first one is left out', () => {
    const report = 'Berths of the port,,\nPrinted on 3 May,,\n\nberth,depth,owner\nnorth,4,Ada\n'
    expect(textOf(report)).toMatch(/^Berths of the port\n\nPrinted on 3 May\n\n\| berth \| depth \| owner \|\n/)
    const [head, row] = rowsOf(textOf('depth,owner\nnorth,4,Ada\nsouth,3,Zoë\n'))
    expect([head, row]).toEqual([
      ['', 'depth', 'owner'],
      ['north', '4', 'Ada'],
    ])
  })

  it('is cut at rows, and each chunk has the names', () => {
    const rows = Array.from({ length: 200 }, (_, at) => `berth ${at},${at / 2},owner ${at}`)
    const { text } = read(`berth,depth,owner\n${rows.join('\n')}\n`)
    const chunks = chunkMarkdown({ text }, { count: part => Math.ceil(part.length / 4) })
    expect(chunks.length).toBeGreaterThan(5)
    for (const chunk of chunks) expect(chunk.text).toMatch(/^\| berth \| depth \| owner \|\n\| --- \|/)
    for (const { text: part, charStart, charEnd } of chunks)
      expect(part.endsWith(text.slice(charStart, charEnd))).toBe(true)
  })

  it('gives the cells back whatever they hold', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '漢', ',', ';', '|', '"', '\n', '\\', ' ', '#', '`') })
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 })
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
    fc.assert(
      fc.property(table, rows => {
        const text = textOf([['first', 'second'], ...rows, ['x', 'y']].map(row => row.map(quoted).join(',')).join('\n'))
        const expected = rows
          .map(row =>
            row.map(value =>
              value
                .split('\n')
                .map(line => line.trim())
                .filter(Boolean)
                .join('<br>')
                .replaceAll('|', '\\|'),
            ),
          )
          .filter(row => row.some(value => value !== ''))
        expect(text.trimEnd().split('\n').slice(2, -1)).toEqual(expected.map(([a, b]) => `| ${a} | ${b} |`))
      }),
    )
  })
})

describe('a table of long rows', () => {
  const faq = `id,question,answer,reviewed\n7,How is the bell rung?,"${long('Pull')}\n\n${long('Wait')}",2026-03-01\n8,Who has the key?,${long('Zoë')},\n`

  it('becomes a section for each row, below the text that names it', () => {
    const { text } = read(faq)
    expect(text).toBe(
      `## How is the bell rung?\n\n- id: 7\n\nanswer:\n\n${long('Pull')}\n\n${long('Wait')}\n\n- reviewed: 2026-03-01\n\n## Who has the key?\n\n- id: 8\n\nanswer: ${long('Zoë')}\n`,
    )
    expect(readSections(text).map(({ path }) => path)).toEqual(['How is the bell rung?', 'Who has the key?'])
  })

  it.each([
    [
      'the column that says so',
      'ticket,customer,subject,text',
      ['T-1', 'Ada', 'No bell', 'T-2', 'Zoë', 'No key'],
      'No bell',
    ],
    ['the first one with names', 'code,berth,keeper,text', ['B1', 'north', 'Ada', 'B2', 'south', 'Zoë'], 'north'],
    ['the first one that differs', 'kind,code,day,text', ['a', 'B1', '3/4', 'a', 'B2', '3/5'], 'B1'],
    ['their number', 'kind,depth,fee,text', ['a', '1.5', '2.5', 'a', '1.75', '2.5'], 'Row 1'],
  ])('names rows by %s', (_, head, cells, name) => {
    const [a, b] = [cells.slice(0, 3), cells.slice(3)]
    expect(textOf(`${head}\n${a.join(',')},${long('more')}\n${b.join(',')},${long('other')}\n`)).toMatch(
      new RegExp(`^## ${name}\n`),
    )
  })

  it.each([
    ['a heading', '# Not mine\n\n## Nor this'],
    ['a title above a line', 'Not mine\n===\n\nNor this\n---'],
    ['code that never ends', '```sh\nmoor'],
    ['a comment that never ends', 'See\n\n<!-- todo'],
    ['a script that never ends', '<script>\n\nlet a'],
    ['a character block that never ends', '<![CDATA[\n\nx'],
    ['a list', '- one\n- two'],
  ])('keeps the sections of its rows when a cell holds %s', (_, cell) => {
    const { text } = read(`name,note\nfirst,"${cell}\n\n${long('x')}"\nsecond,${long('y')}\n`)
    expect(readSections(text).map(({ path }) => path)).toEqual(['first', 'second'])
    for (const word of cell.match(/\w+/g) ?? []) expect(text).toContain(word)
  })

  it('reads cells of HTML as pages are read', () => {
    const html = `<h2>Steps</h2><p>Pull the <b>rope</b>.</p><ul><li>Once</li><li>${long('Twice')}</li></ul><script>ring()</script>`
    const { text } = read(`name,body\nbell,"${html}"\nkey,<p>${long('Ask')}</p>\n`)
    expect(text).toContain('Pull the **rope**.')
    expect(text).toMatch(/^- +Once$/m)
    expect(text).not.toContain('ring')
    expect(readSections(text).map(({ path }) => path)).toEqual(['bell', 'key'])
  })

  it('keeps the signs of names, and a name that is too long for a heading', () => {
    const names = ['__init__ of C #', '*args', ...Array.from({ length: 20 }, (_, at) => `name ${at}`)]
    const tooLong = 'very long '.repeat(60).trim()
    const { text } = read(`name,note\n${[...names, tooLong].map(name => `${name},${long('a')}`).join('\n')}\n`)
    const paths = readSections(text).map(({ path }) => path)
    expect(paths.slice(0, -1)).toEqual(names)
    expect(paths.at(-1)?.length).toBeLessThan(310)
    expect(text).toContain(`name: ${tooLong}`)
  })

  it('takes many columns, each value beside its name', () => {
    const columns = Array.from({ length: 5_000 }, (_, at) => `c${at}`)
    const { text } = read(`${columns.join(',')}\n${columns.map(name => `v${name}`).join(',')}\n`)
    expect(text).toContain('\n- c4999: vc4999\n')
  })

  it('leaves a text of 100 kB whole', () => {
    expect(textOf(`name,note\nbell,"${'ring '.repeat(20_000)}"\nkey,short\n`).length).toBeGreaterThan(100_000)
  })
})

describe('a file that is not as it should be', () => {
  it('reads what follows a quotation mark that is never closed, and says so', () => {
    const { text, warning } = read('name,note\nbell,"a\nb"\nkey,"never closed\nrope,5 long\n')
    expect(rowsOf(text)).toEqual([
      ['name', 'note'],
      ['bell', 'a<br>b'],
      ['key', '"never closed'],
      ['rope', '5 long'],
    ])
    expect(warning).toBe('does not close a quotation mark of line 4; from there on they are text')
  })

  it('reads Windows-1252 and broken UTF-8 with a warning, as text files', () => {
    const latin = read(Buffer.from('name,town\nZoë,Zürich\n', 'latin1'))
    expect(latin).toMatchObject({ warning: 'is not valid UTF-8 and is read as Windows-1252' })
    expect(latin.text).toContain('| Zoë | Zürich |')
    const broken = read(Buffer.concat([Buffer.from('name,town\nZoë,Z'), Uint8Array.of(0xff), Buffer.from('rich\n')]))
    expect(broken.text).toContain('| Zoë | Z\uFFFDrich |')
    expect(broken.warning).toBe('is not valid UTF-8')
    expect(textOf(Buffer.from('\uFEFFname,town\nZoë,Bern\n', 'utf16le'))).toContain('| Zoë | Bern |')
  })

  const numbers = Array.from({ length: 1_500 }, (_, at) => `${at},${at / 2},NA`).join('\n')
  it.each([
    ['blank lines', '\n\n , \n', 'empty'],
    ['a head alone', 'name,town\n', 'no rows'],
    ['bytes', Uint8Array.of(1, 0, 2, 0, 0, 9), 'binary'],
    ['many rows of numbers', `t,depth,note\n${numbers}\n`, 'only numbers'],
    ['too much text', `name,note\n${`bell,${'x'.repeat(10_000)}\n`.repeat(1_800)}`, 'too large'],
  ])('is refused with %s', (_, bytes, fault) => {
    expect(readCsv(Buffer.from(bytes))).toMatchObject({ fault })
  })

  it('keeps a short table of numbers', () => {
    expect(textOf('year,rate\n2019,0.1\n')).toContain('| 2019 | 0.1 |')
  })
})

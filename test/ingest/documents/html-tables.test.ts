import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
const tableOf = (rows: string) => textOf(`<table>${rows}</table>`)

it('takes the first row as head when no row is marked as head', () => {
  const rows = '<tr><td>Rope</td><td>Length</td></tr><tr><td>Bow</td><td>20 m</td></tr>'
  const grid = '| Rope | Length |\n| --- | --- |\n| Bow | 20 m |\n'
  expect(tableOf(rows)).toBe(grid)
  expect(tableOf(`<thead></thead><tbody>${rows}</tbody>`)).toBe(grid)
  expect(tableOf(`<tr><td></td><td> </td></tr>${rows}`)).toBe(grid)
})

it('makes one head of several rows in thead, with th or td', () => {
  const head =
    '<thead><tr><td rowspan="2">Rope</td><td colspan="2">Length</td></tr><tr><th>min</th><th>max</th></tr></thead>'
  expect(tableOf(`${head}<tr><td>Bow</td><td>10</td><td>20</td></tr>`)).toBe(
    '| Rope | Length min | max |\n| --- | --- | --- |\n| Bow | 10 | 20 |\n',
  )
})

it('takes a first row of one cell over all columns for a caption', () => {
  const title = '<tr><th colspan="2">Ropes of the <b>port</b></th></tr>'
  const names = '<tr><th>Rope</th><th>Length</th></tr>'
  const rows = '<tr><td>Bow</td><td>20 m</td></tr><tr><td>Stern</td><td>10 m</td></tr>'
  const grid = 'Ropes of the **port**\n\n| Rope | Length |\n| --- | --- |\n| Bow | 20 m |\n| Stern | 10 m |\n'
  expect(tableOf(`${title}${names}${rows}`)).toBe(grid)
  expect(tableOf(`<thead>${title}${names}</thead>${rows}`)).toBe(grid)
  expect(tableOf(`<thead>${title}</thead>${names}${rows}`)).toBe(grid)
})

it('takes a first row for the head when more columns or no names follow', () => {
  const row = '<tr><td>Bow</td><td>20 m</td></tr>'
  expect(tableOf(`<tr><td colspan="2">Ropes</td></tr>${row}`)).toBe('| Ropes |  |\n| --- | --- |\n| Bow | 20 m |\n')
  expect(tableOf(`<tr><td>Ropes</td></tr>${row}${row}`)).toMatch(/^\| Ropes \| {2}\|\n/)
  expect(tableOf(`<tr><td colspan="2">Ropes</td></tr><tr><td colspan="2">Old</td></tr>${row}`)).toMatch(/^\| Ropes \|/)
})

it('keeps cells in their columns beside cells over several rows and columns, and each word once', () => {
  const rows =
    '<tr><th>Port</th><th>Rope</th><th>m</th></tr><tr><td rowspan="2">West</td><td>Bow</td><td>20</td></tr><tr><td>Stern</td><td>10</td></tr><tr><td colspan="2">Sum</td><td>30</td></tr>'
  expect(tableOf(rows)).toBe(
    '| Port | Rope | m |\n| --- | --- | --- |\n| West | Bow | 20 |\n|  | Stern | 10 |\n| Sum |  | 30 |\n',
  )
})

it('writes lists, paragraphs and code of a cell in its line', () => {
  const cell =
    '<td><p>Take:</p><ul><li>Rope</li><li>Lamp</li></ul><pre><code class="language-sh">a_1 | b\nc</code></pre></td>'
  const text = tableOf(`<tr><th>Step</th><th>Do</th></tr><tr><td>1 || 2</td>${cell}</tr>`)
  expect(text.replace(/- +/g, '- ')).toBe(
    '| Step | Do |\n| --- | --- |\n| 1 \\|\\| 2 | Take:<br>- Rope<br>- Lamp<br>`a_1 \\| b`<br>`c` |\n',
  )
})

it('writes the cells of tables for layout as text', () => {
  expect(tableOf('<tr><td><p>One</p><p>cell</p></td></tr>')).toBe('One\n\ncell\n')
  expect(tableOf('<tr><td class="icon">Note</td><td><p>Mind the tide.</p></td></tr>')).toBe(
    '**Note**\n\nMind the tide.\n',
  )
  // The signature of a function, as Doxygen writes it.
  expect(tableOf('<tr><td>moor</td><td>(</td><td>Rope *</td><td><em>rope</em></td><td>)</td><td></td></tr>')).toBe(
    'moor ( Rope * _rope_ )\n',
  )
  const note =
    '<tr><td rowspan="2"><img alt="[Tip]" src="tip.png"></td><th>Tip</th></tr><tr><td><p>Mind it:</p><pre>tide</pre></td></tr>'
  expect(tableOf(note)).toBe('**Tip**\n\nMind it:\n\n```\ntide\n```\n')
  const inner = '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>'
  expect(tableOf(`<tr><td>Left</td><td>${inner}</td></tr><tr><td>Below</td><td>Right</td></tr>`)).toBe(
    'Left\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nBelow Right\n',
  )
  expect(tableOf('<tr><td>Menu</td><td><h2>Rope</h2><p>Long.</p></td></tr><tr><td>x</td><td>y</td></tr>')).toContain(
    '## Rope\n\nLong.',
  )
})

it('keeps captions, and leaves out hidden rows and cells', () => {
  const rows =
    '<tr><th>A</th><th hidden>H</th></tr><tr style="display:none"><td>no</td></tr><tr><td>1</td><td hidden>h</td></tr>'
  expect(tableOf(`<caption>Ropes <b>in use</b></caption>${rows}`)).toBe('Ropes **in use**\n\n| A |\n| --- |\n| 1 |\n')
})

it('writes wide spans, wide rows and long heads in linear time', () => {
  const spans = '<tr><td colspan="9999" rowspan="9999">x</td><td>y</td></tr>'.repeat(1_500)
  expect(tableOf(spans).length).toBeLessThan(1_500_000)
  const head = `<thead><tr>${'<th>a'.repeat(10_000)}</tr>${'<tr><th>b'.repeat(5_000)}</thead><tr><td>1`
  expect(tableOf(head)).toContain('| 1 |')
  expect(
    tableOf(`<tr><td>${' '.repeat(50_000)}x${'<br>'.repeat(10_000)}y</td><td>|</td></tr><tr><td>1<td>2</tr>`),
  ).toContain('x')
})

it('writes a grid of elements of javadoc as a table', () => {
  const cell = (column: string, html: string) => `<div class="col-${column} even-row-color">${html}</div>`
  const head = ['Modifier', 'Method', 'Description'].map(name => `<div class="table-header col-x">${name}</div>`)
  const rows = [
    cell('first', '<code>void</code>'),
    cell('second', '<code><a href="#moor">moor</a>(int ropes)</code>'),
    cell('last', '<div class="block">Takes the rope | lamp.</div>'),
  ]
  const table = `<div class="summary-table three-column-summary">${head.join('')}${rows.join('\n')}</div>`
  expect(textOf(`<h2>Methods</h2><div>${table}</div><p>Go.</p>`)).toBe(
    '## Methods\n\n| Modifier | Method | Description |\n| --- | --- | --- |\n| `void` | `moor(int ropes)` | Takes the rope \\| lamp. |\n\nGo.\n',
  )
  const captioned = textOf(`<h2>Methods</h2><div class="caption"><span>Of <a href="a">Ferry</a></span></div>${table}`)
  expect(captioned).toContain('## Methods\n\n**Of Ferry**\n\n| Modifier |')
  expect(textOf(`<div class="caption"><b>Ropes</b></div>${table}`)).toContain('**Ropes**\n\n| Modifier |')
  expect(textOf(`<div class="caption"><b>Ropes</b></div>${table}`)).not.toContain('****')
  const torn = `<div class="summary-table">${head.join('')}${rows.slice(1).join('')}</div>`
  expect(textOf(torn)).not.toContain('|\n|')
  const inner = '<div class="summary-table"><div class="table-header">Rope</div></div>'
  for (const other of [inner, 'A loose word', '<pre>moor()</pre>', '<code>moor()</code>', '<a href="a">Rope</a>'])
    expect(textOf(`<div class="summary-table"><div class="table-header">Ropes</div>${other}</div>`)).toMatch(
      /word|moor\(\)|Rope\b(?!s)/,
    )
})

it('writes the label of a box that is a table as a line in bold, once, in any language', () => {
  const box = (picture: string, label: string) =>
    `<table summary="Note"><tr><td rowspan="2"><img alt="${picture}" src="note.png"></td>${label}</tr><tr><td><p>Take the rope.</p></td></tr></table>`
  const textOfBox = (picture: string, label: string) => textOf(`<h1>Mooring</h1>${box(picture, label)}`)
  const german = '# Mooring\n\n**Anmerkung**\n\nTake the rope.\n'
  expect(textOfBox('[Anmerkung]', '<th align="left">Anmerkung</th>')).toBe(german)
  expect(textOfBox('', '<th>Anmerkung</th>')).toBe(german)
  expect(textOfBox('[Anmerkung]', '<th></th>')).toBe('# Mooring\n\n[Anmerkung]\n\nTake the rope.\n')
  expect(tableOf('<tr><th>Rope</th><td>Bow</td></tr>')).toBe('Rope Bow\n')
  expect(textOfBox('A rope', '<td>Ropes</td>')).toBe('# Mooring\n\nA rope Ropes\n\nTake the rope.\n')
})

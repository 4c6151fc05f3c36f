import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text

it.each([
  ['<h1>Mooring<br>and tides</h1>', '# Mooring and tides'],
  ['<h2>\n<div>Mooring</div><div>In harbours</div></h2>', '## Mooring\n\nIn harbours'],
  ['<h1><ul><li>Mooring</li></ul></h1>', '# Mooring'],
  [
    '<h4><table><tr><th>Rope</th><th>m</th></tr><tr><td>Bow</td><td>3</td></tr></table></h4>',
    '| Rope | m |\n| --- | --- |\n| Bow | 3 |',
  ],
  ['<h3><a class="headerlink" href="#x">¶</a></h3>', ''],
])('writes a heading as one line: %s', (html, heading) => {
  expect(textOf(`${html}<p>Take the rope.</p>`)).toBe(`${heading}${heading === '' ? '' : '\n\n'}Take the rope.\n`)
})

it.each([
  ['<div class="note"><h3 class="title">Note</h3>', '**Note**'],
  ['<div class="Admonition warning"><h4 class="title"><b>Deep water</b></h4>', '**Deep water**'],
  ['<div class="alert alert-info"><h4 class="alert-heading">Take care</h4>', '**Take care**'],
  ['<div class="titlepage"><div class="author"><h3 class="author">Ada Berg</h3></div>', 'Ada Berg'],
  ['<div class="footnotes"><h5><a href="#a">(12)</a></h5>', '**(12)**'],
  ['<div class="section"><h3 class="title">Ropes</h3>', '### Ropes'],
  ['<div class="note"><h3>Ropes</h3>', '### Ropes'],
  ['<div class="note"><h2 class="title">Ropes</h2>', '## Ropes'],
])('opens no section with the label of a box or a footnote, or the name of an author: %s', (html, line) => {
  expect(textOf(`<h1>Mooring</h1>${html}<p>Take the rope.</p></div><p>Go.</p>`)).toBe(
    `# Mooring\n\n${line}\n\nTake the rope.\n\nGo.\n`,
  )
})

it('reads the items of a list that each begin with a heading as sections, also inside of each other', () => {
  const members = '<ul><li><section><a id="moor"></a><h3>moor</h3><p>Takes the rope.</p></section></li><li> </li></ul>'
  const page = `<h1>Class Ferry</h1><ul><li><section><h2>Methods</h2>${members}</section></li></ul>`
  expect(textOf(page)).toBe('# Class Ferry\n\n## Methods\n\n### moor\n\nTakes the rope.\n')
})

it.each([
  ['with an item without a heading', '<ul><li><h2>Rope</h2>Long.</li><li>Lamp</li></ul>', '-   ## Rope'],
  ['with words before a heading', '<ul><li>Take: <h2>Rope</h2></li></ul>', '-   Take:'],
  ['with numbers', '<ol><li><h2>Rope</h2>Take it.</li></ol>', '1.  ## Rope'],
])('keeps the items of a list %s', (_, list, start) => {
  expect(textOf(`<h1>Mooring</h1>${list}`)).toContain(`# Mooring\n\n${start}`)
})

it.each([
  ['Bow line', '**Bow line**'],
  ['<b>Bow line</b>', '**Bow line**'],
  ['<code>--bow</code>, <code>-b</code>', '`--bow`, `-b`'],
  ['moor(rope)', 'moor(rope)'],
  ['<h3>Bow line</h3>', '### Bow line'],
  ['<ul><li>Bow line</ul>', '-   Bow line'],
  ['# 1 of all', '**# 1 of all**'],
])('writes the term of a definition as a name: %s', (term, name) => {
  expect(textOf(`<dl><dt>${term}</dt><dd>The rope in front.</dd></dl>`)).toBe(`${name}\n\nThe rope in front.\n`)
})

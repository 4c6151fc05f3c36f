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

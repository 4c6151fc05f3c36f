import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'
import { pageRange } from '../../../src/ingest/documents/page-range.ts'

it('reads the main part of a page, its title and language, in the declared encoding', () => {
  const page = `<html lang="de-AT"><head><meta charset="iso-8859-1"><title>Die Schl\u00fcssel</title></head><body><nav>Start</nav>
    <main><h1>T\u00fcr</h1><p>Sie ist zu.</p><p hidden>geheim</p><table><tr><th>A</th></tr><tr><td>1</td></tr></table></main>
    <script>x()</script><footer>Impressum</footer></body></html>`
  const text = '# T\u00fcr\n\nSie ist zu.\n\n| A   |\n| --- |\n| 1   |\n'
  expect(readHtml(Buffer.from(page, 'latin1'))).toMatchObject({ title: 'Die Schl\u00fcssel', lang: 'de', text })
})

it('refuses HTML that is nested too deeply, and a page without text', () => {
  expect(readHtml(Buffer.from('<div>'.repeat(50_000)))).toMatchObject({ fault: 'too large' })
  expect(readHtml(Buffer.from('<p></p>'))).toMatchObject({ fault: 'no text' })
})

it('counts the pages of a chunk from 1', () => {
  expect(pageRange([0, 100, 100, 300], { charStart: 50, charEnd: 100 })).toEqual({ page_start: 1, page_end: 1 })
  expect(pageRange([0, 100, 100, 300], { charStart: 99, charEnd: 301 })).toEqual({ page_start: 1, page_end: 4 })
})

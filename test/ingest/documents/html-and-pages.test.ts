import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'
import { preparePoint } from '../../../src/ingest/points.ts'

it('reads the main part of a page, its title and language, in the declared encoding', () => {
  const page = `<html lang="de-AT"><head><meta charset="iso-8859-1"><title>Die Schl\u00fcssel</title></head><body><nav>Start</nav>
    <main><h1>T\u00fcr</h1><p>Sie ist zu.</p><p hidden>geheim</p><table><tr><th>A</th></tr><tr><td>1</td></tr></table></main>
    <script>x()</script><footer>Impressum</footer></body></html>`
  const text = '# T\u00fcr\n\nSie ist zu.\n\n| A |\n| --- |\n| 1 |\n'
  expect(readHtml(Buffer.from(page, 'latin1'))).toMatchObject({ title: 'Die Schl\u00fcssel', lang: 'de', text })
})

it.each(['<meta charset="iso-8859-1">', '<meta charset="windows-1252">', ''])(
  'reads the signs of Windows-1252 that Latin-1 lacks, with %j',
  meta => {
    const page = `<html><head>${meta}</head><body><p>\x93Ferry\x94 \x96 5 \x80, it\x92s \xFCber</p></body></html>`
    expect(readHtml(Buffer.from(page, 'latin1'))).toMatchObject({ text: '“Ferry” – 5 €, it’s über\n' })
  },
)

it('reads a page as UTF-8 that is, whatever Latin encoding it declares', () => {
  const page = '<html><head><meta charset="iso-8859-1"></head><body><p>Die Fähre \u2013 5 €</p></body></html>'
  expect(readHtml(Buffer.from(page))).toMatchObject({ text: 'Die Fähre \u2013 5 €\n' })
})

it('leaves out the header that a program wrote before the page', () => {
  const page = 'Content-type: text/html; charset=UTF-8\n\n<html><body><h1>ROPE</h1><p>Take it.</p></body></html>'
  expect(readHtml(Buffer.from(page))).toMatchObject({ text: '# ROPE\n\nTake it.\n' })
})

it('keeps the text of a form, because old sites wrap the whole page in one', () => {
  const page = '<form><h1>Rope</h1><p>Take it.</p><label>Name</label><input value="x"><button>Send</button></form>'
  expect(readHtml(Buffer.from(page))).toMatchObject({ text: '# Rope\n\nTake it.\n\nName\n' })
})

it('says of a page of frames that it has no text', () => {
  const page = '<html><title>Quay</title><frameset><frame src="a.html"></frameset><noframes>No frames</noframes></html>'
  expect(readHtml(Buffer.from(page))).toMatchObject({ fault: 'no text' })
})

it('keeps preformatted text as code: lines, signs and language, without the numbers of lines', () => {
  const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
  // As Sphinx writes it.
  const sphinx = `<div class="highlight-python notranslate"><div class="highlight"><pre><span></span><span class="linenos">1</span><span class="k">def</span> <span class="n">a_b</span>():
<span class="linenos">2</span>    <span class="k">return</span> [1] == 2 &lt; 3
</pre></div></div>`
  expect(textOf(sphinx)).toBe('```python\ndef a_b():\n    return [1] == 2 < 3\n```\n')
  expect(textOf('<p>Run:</p><pre>\n$ make_it *now*<br>done\n\n</pre><p>End.</p>')).toBe(
    'Run:\n\n```\n$ make_it *now*\ndone\n```\n\nEnd.\n',
  )
  expect(textOf('<p>a</p><div class="highlight-default"><pre>x\n```\ny</pre></div>')).toBe(
    'a\n\n````\nx\n```\ny\n````\n',
  )
  expect(textOf('<p>a</p><pre> \n</pre>')).toBe('a\n')
  expect(textOf('<pre><code class="language-sh">ls_a</code></pre>')).toBe('```sh\nls_a\n```\n')
  const numbered =
    '<div class="highlight-c"><table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td><td class="code"><div><pre>a_1\n  b_2</pre></div></td></tr></table></div>'
  expect(textOf(`<p>a</p>${numbered}`)).toBe('a\n\n```c\na_1\n  b_2\n```\n')
})

it('reads code and tables in a quotation without its marks, and keeps those of words', () => {
  const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
  expect(textOf('<p>Run:</p><blockquote><p>As root</p><pre>open gate\nclose gate</pre></blockquote>')).toBe(
    'Run:\n\nAs root\n\n```\nopen gate\nclose gate\n```\n',
  )
  expect(textOf('<p>a</p><blockquote><table><tr><th>B</th></tr><tr><td>1</td></tr></table></blockquote>')).toBe(
    'a\n\n| B |\n| --- |\n| 1 |\n',
  )
  expect(textOf('<p>a</p><blockquote><p>Mind the tide.</p></blockquote>')).toBe('a\n\n> Mind the tide.\n')
})

it('reads a page of a manual that is one preformatted block as text with headings, and no other page', () => {
  const read = (html: string) =>
    readHtml(Buffer.from(`<html><head><title>queue(1)</title></head><body>${html}</body></html>`))
  const manual =
    'QUEUE(1)\n\n<b>NAME</b>\n       queue - list the mail\n\n<b>OPTIONS</b>\n       <b>-j</b>     As JSON.\n'
  expect(read(`<pre>${manual}</pre>`)).toMatchObject({
    title: 'queue(1)',
    text: manual.replace(/<[^>]*>/g, ''),
    isPlain: true,
    headings: 'marked',
  })
  for (const html of [
    `<p>See:</p><pre>${manual}</pre>`,
    `<pre>${manual}</pre><pre>${manual}</pre>`,
    '<pre>one\ntwo</pre>',
    '<pre>NAME\n  queue</pre>',
    '<pre>def open(gate):\n    return gate + 1\n\n\ndef close(gate):\n    return gate - 1\n</pre>',
  ])
    expect(read(html)).toMatchObject({ text: expect.stringContaining('```'), headings: 'unknown' })
})

it('keeps code that has the numbers of its lines from a script, and code in cells of tables', () => {
  const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
  expect(textOf('<pre class="line-numbers"><code class="language-js">let a_b</code></pre>')).toBe(
    '```js\nlet a_b\n```\n',
  )
  expect(textOf('<div class="line-numbers"><pre>let a_b</pre></div>')).toBe('```\nlet a_b\n```\n')
  const table = (cells: string) => textOf(`<table><tr><th>A</th><th>B</th></tr><tr>${cells}</tr></table>`)
  expect(table('<td>x</td><td><pre>a_1\n  b`2</pre></td>')).toContain('| x | `a_1`<br>``   b`2 `` |')
  expect(textOf('<table><tr><td><p>layout</p><pre>a_1</pre></td></tr></table>')).toBe('layout\n\n```\na_1\n```\n')
})

it('keeps the names of things without backslashes, and escapes what would be emphasis', () => {
  const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
  expect(textOf('<h1>thread_pool_max</h1><p>See vcl__hash_2, größe_ß, _this_ and __init__.</p>')).toBe(
    '# thread_pool_max\n\nSee vcl__hash_2, größe_ß, \\_this\\_ and \\_\\_init\\_\\_.\n',
  )
})

it('leaves out the links of headings to themselves', () => {
  const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
  // The sign of a chain in Font Awesome, as the theme of Read the Docs writes it.
  expect(textOf('<h2>8.1. Leases<a class="headerlink" href="#leases">\uf0c1</a></h2><p>Text</p>')).toMatch(
    /^## 8\.1\. Leases\n/,
  )
  expect(textOf('<dl><dt>moor()<a class="headerlink" href="#moor">\uf470</a></dt></dl>')).toBe('moor()\n')
  expect(textOf('<h2><a class="anchor" href="#a"><span>Link to this heading</span></a>Rope</h2>')).toBe('## Rope\n')
  expect(textOf('<h2><span class="permalink"><a href="#a">◆</a></span>moor()</h2>')).toBe('## moor()\n')
  expect(textOf('<h2>Rope <a href="#a">🔗\ufe0f</a></h2>')).toBe('## Rope\n')
})

it('keeps headings that are links as a whole, and operators that are links', () => {
  const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text
  expect(textOf('<h2><a class="header-anchor" href="#rope">Rope</a></h2>')).toBe('## Rope\n')
  expect(textOf('<h2>The operator <a href="#add">+=</a></h2><p><a href="#or">||</a></p>')).toBe(
    '## The operator +=\n\n||\n',
  )
  expect(textOf('<p>See <a class="anchor" href="#rope">Rope</a>.</p>')).toBe('See Rope.\n')
})

it('reads long runs of ticks and line breaks in linear time', () => {
  const page = `<pre>${' '.repeat(500)}x${'`'.repeat(100_000)}${'\n'.repeat(100_000)}y${' '.repeat(500)}.</pre>`
  expect((readHtml(Buffer.from(page)) as { text: string }).text).toContain('y')
  const ticks = readHtml(Buffer.from(`<pre>${'`x'.repeat(200_000)}</pre>`)) as { text: string }
  expect(ticks.text).toMatch(/^```\n`x/)
})

it('refuses HTML that is nested too deeply, and a page without text', () => {
  expect(readHtml(Buffer.from('<div>'.repeat(50_000)))).toMatchObject({ fault: 'too large' })
  expect(readHtml(Buffer.from('<p></p>'))).toMatchObject({ fault: 'no text' })
})

it.each([
  [
    'leaves out a page that leads to another one',
    '0; url=ropes.html',
    '<p>Go on to <a href="ropes.html">ropes</a>.</p>',
    true,
  ],
  ['keeps a page that is read again', '60', '<p>The tide is low.</p>', false],
  ['keeps a page that is read again soon', '5;', '<p>The tide is low.</p>', false],
  ['keeps a page that names itself with no address', '5; url=', '<p>The tide is low.</p>', false],
  ['keeps a page with more text', '0; url=ropes.html', `<p>${'Take the rope. '.repeat(30)}</p>`, false],
])('%s', (_, content, body, isLeftOut) => {
  const page = `<html><head><meta http-equiv="Refresh" content="${content}"></head><body>${body}</body></html>`
  expect('fault' in readHtml(Buffer.from(page))).toBe(isLeftOut)
})

it.each([
  ['_images/quay.png', '_images/quay.png', ''],
  ['./quay', './quay.svg?v=2', ''],
  ['4#4', 'img7.svg', ''],
  ['quay', 'quay.svg', 'quay'],
  ['TCP/IP', 'net.png', 'TCP/IP'],
])('reads the words of a picture, but not the name of its file: %s', (alt, src, words) => {
  const page = `<p>Before.</p><p><img alt="${alt}" src="${src}"></p>`
  expect(readHtml(Buffer.from(page))).toMatchObject({ text: `Before.${words && `\n\n${words}`}\n` })
})

it('counts the pages of a chunk from 1', () => {
  const document = { docId: 'a.pdf', title: '', text: '', lang: null, pages: [0, 100, 100, 300] }
  const payloadOf = (charStart: number, charEnd: number) => {
    const chunk = { orderIndex: 0, sectionPath: '', header: '', charStart, charEnd, text: 'Text', tokens: 1 }
    return preparePoint(document, chunk, { collection: 'docs' }, null).payload
  }
  expect(payloadOf(50, 100)).toMatchObject({ page_start: 1, page_end: 1 })
  expect(payloadOf(99, 301)).toMatchObject({ page_start: 1, page_end: 4 })
})

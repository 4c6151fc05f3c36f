import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text

it('leaves out navigation and contents of DocBook, in both cases of letters', () => {
  const bar = (name: string) =>
    `<div class="${name}"><table summary="Navigation"><tr><th colspan="2">Ferry manual</th></tr><tr><td><a accesskey="p" href="a.html">Prev</a></td><td>Tides</td></tr></table></div>`
  const contents =
    '<div class="toc"><p><b>Table of Contents</b></p><dl class="toc"><dt><span class="section"><a href="#a">1. Rope</a></span></dt><dd><dl><dt><a href="#b">1.1. Knots</a></dt></dl></dd></dl></div>'
  const page = `<body class="toc">${bar('navheader')}<div class="chapter"><h2 class="title">Mooring</h2>${contents}<p>Take the rope.</p></div>${bar('NAVFOOTER end')}</body>`
  expect(textOf(page)).toBe('## Mooring\n\nTake the rope.\n')
})

it.each([
  ['Sphinx', '<div class="sphinxsidebar"><h3>Search</h3><p>Go back</p></div>'],
  ['docutils', '<div class="contents local topic"><ul><li><p><a href="#a">Rope</a></p></li></ul></div>'],
  ['Read the Docs', '<ul class="wy-breadcrumbs"><li><a href="/">Docs</a> »</li><li>Mooring</li></ul>'],
  [
    'AsciiDoctor',
    '<div id="toc" class="toc"><div id="toctitle">Contents</div><ul><li><a href="#a">Rope, knots</a></li></ul></div>',
  ],
  [
    'Doxygen',
    '<div class="ttc"><div class="ttname"><a href="a.html">moor</a></div><div class="ttdef">a.h:14</div></div>',
  ],
  ['javadoc', '<div class="subNav"><div>Detail: Field | Method</div></div>'],
  [
    'LibreOffice',
    '<div class="relatedtopics"><p class="related"><span>Related Topics</span></p><div><p><a href="a.html">How to choose a rope</a></p></div></div>',
  ],
  ['MediaWiki', '<h2>Rope <span class="mw-editsection">[edit]</span></h2>'],
])('leaves out navigation of %s', (_, html) => {
  const text = textOf(`<h1>Mooring</h1>${html}<p>Take the rope.</p>`)
  expect(text.replace('## Rope\n\n', '')).toBe('# Mooring\n\nTake the rope.\n')
})

it.each([
  [
    'Texinfo',
    '<table><tr><th>Jump to:</th><td><a class="summary-letter" href="#B"><b>B</b></a> <a class="summary-letter" href="#K"><b>K</b></a> <a class="summary-letter" href="#L"><b>L</b></a> <a class="summary-letter" href="#R"><b>R</b></a> <a class="summary-letter" href="#S"><b>S</b></a> <a class="summary-letter" href="#T"><b>T</b></a> <a class="summary-letter" href="#U"><b>U</b></a> <a class="summary-letter" href="#W"><b>W</b></a></td></tr></table><table class="index-cp"><tr><th>Index Entry</th><th>Section</th></tr><tr><td><a href="#knots">knots</a>:</td><td><a href="#mooring">Mooring a boat</a></td></tr><tr><td><a href="#tides">tides</a>:</td><td><a href="#tables">Tables of the tides</a></td></tr></table>',
  ],
  [
    'Sphinx',
    '<div class="genindex-jumpbox"><a href="#K"><strong>K</strong></a> | <a href="#R"><strong>R</strong></a></div><table class="indextable genindextable"><tr><td><ul><li><a href="a.html#k">knot() (in module ropes)</a></li></ul></td></tr></table>',
  ],
  [
    'DocBook',
    '<div class="indexdiv"><dl><dt>ropes, <a class="indexterm" href="a.html">Taking a rope</a></dt></dl></div>',
  ],
])('leaves out the index of %s, which has nothing but names and links', (_, index) => {
  expect(textOf(`<h1>Mooring</h1><p>Take the rope.</p>${index}`)).toBe('# Mooring\n\nTake the rope.\n')
})

it('keeps related topics that are explained', () => {
  const topics = '<p>Related topics: <a href="a.html">knots</a> hold a rope that is wet and under load.</p>'
  expect(textOf(`<h1>Mooring</h1><div class="related-topics">${topics}</div>`)).toContain('hold a rope that is wet')
})

it('keeps a table of links with what they lead to', () => {
  const row = '<tr><td><a href="a.html#k">ropes</a></td><td>how a rope is taken, and what it holds</td></tr>'
  expect(textOf(`<h1>Mooring</h1><table class="indextable modindextable">${row}</table>`)).toContain('what it holds')
})

it('leaves out menus of Bootstrap, which are shown by a click, also in code', () => {
  const name =
    '<span class="dropdown"><a class="dropdown-toggle" href="#">rope</a><ul class="dropdown-menu"><li class="dropdown-header">Available in :</li><li><a href="#r">Bow</a></li></ul></span>'
  expect(textOf(`<h1>Mooring</h1><div>Take the ${name}</div><pre>moor "${name}" first\n</pre>`)).toBe(
    '# Mooring\n\nTake the rope\n\n```\nmoor "rope" first\n```\n',
  )
})

it('leaves out links to the pages beside it, as a theme of Sphinx names them, and keeps others', () => {
  const link = (title: string) => `<div><a class="btn" href="a.html" title="${title}">Knots</a></div>`
  const bar = link('previous chapter (use the left arrow)') + link('next chapter (use the right arrow)')
  expect(textOf(`<h1>Mooring</h1><p>Take the rope.</p><div>${bar}</div>`)).toBe('# Mooring\n\nTake the rope.\n')
  expect(textOf(`<h1>Mooring</h1><p>Take the rope.</p>${link('next to the quay')}`)).toContain('Knots')
})

it('leaves out links with an arrow to the pages beside it, and the contents between them', () => {
  const steps = (contents: string) => `<a href="a.html">&lt;-previous</a>${contents}<a href="b.html">Next »</a>`
  const page = `${steps('')}<h1>Mooring</h1><p>The command <a href="n.html">next</a> moors.</p>${steps('<a href="i.html">Table of Contents</a>')}`
  expect(textOf(page)).toBe('# Mooring\n\nThe command next moors.\n')
  expect(textOf('<h1>Mooring</h1><p>See the <a href="i.html">contents</a>.</p>')).toContain('See the contents.')
  expect(textOf(`<h1>Mooring</h1><p>${steps(' | ')}</p><p>Take the rope.</p>`)).not.toMatch(/previous|next/i)
})

it.each([
  ['« Zurück', 'Nächste Seite »', 'Inhalt'],
  ['< Précédent', 'Page suivante →', 'Table des matières'],
  ['← Anterior', 'Siguiente >', 'Índice'],
  ['‹ Назад', 'Следующая глава ›', 'Содержание'],
  ['« 上一页', '下一页 »', '目录'],
])('leaves out such links in other languages: %s', (previous, next, contents) => {
  const [before, above, behind] = [previous, contents, next].map(name => `<a href="a.html">${name}</a>`)
  const list = `<h2>${contents}</h2><ul>${'<li><a href="b.html">Rope and anchor</a></li>'.repeat(3)}</ul>`
  const bar = `<p>${before} ${above} ${behind}</p>`
  expect(textOf(`<h1>Mooring</h1><p>Take it.</p>${list}<h2>Rope</h2>${bar}<p>Take the rope.</p>`)).toBe(
    '# Mooring\n\nTake it.\n\n## Rope\n\nTake the rope.\n',
  )
  expect(textOf('<h1>Mooring</h1><p><a href="a.html">Weitere Taue →</a></p>')).toContain('Weitere Taue')
})

it.each(['Back to top ↑', 'top', 'Nach oben', '返回顶部', '<img alt="top" src="up.gif">'])(
  'leaves out a link to the top: %s',
  name => {
    const link = (href: string) => `<div><a href="${href}">${name}</a></div>`
    expect(textOf(`<h1>Rope</h1><p>Take it.</p>${link('#page-header')}<h2>Bow</h2><p>Moor.</p>`)).toBe(
      '# Rope\n\nTake it.\n\n## Bow\n\nMoor.\n',
    )
    expect(textOf(`<h1>Rope</h1><p>Take it.</p>${link('top.html')}<p>Moor.</p>`)).toMatch(/top|oben|顶部/)
    expect(textOf(`<h1>Rope</h1><p>See <a href="#t">${name}</a> of the list.</p>`)).toMatch(/top|oben|顶部/i)
  },
)

it.each([
  '<h2 id="top"><a href="#top">top</a></h2><p>Moor.</p>',
  '<ul><li><a href="#push">push</a></li><li><a href="#top">top</a></li></ul>',
  '<dl><dt><a href="#top">top</a></dt><dd>Moor.</dd></dl>',
  '<table><tr><th>Name</th><th>What</th></tr><tr><td><a href="#top">top</a></td><td>Moor.</td></tr></table>',
  '<p><code><a href="#top">top</a></code></p><p><a href="#top"><code>top</code></a></p>',
])('keeps "top" as a name: %s', names => {
  expect(textOf(`<h1>Rope</h1><p>Take it.</p>${names}`)).toContain('top')
})

it('keeps a link with an arrow that stands in a sentence', () => {
  const page = '<h1>Mooring</h1><p>Click <a href="#n">Next &gt;</a> to moor, or <a href="#p">« Previous</a>.</p>'
  expect(textOf(page)).toMatch(/Click Next (?:\\?>) to moor, or « Previous\./)
})

it.each([
  '<p>Click <em>Save</em> <a href="#n">Next &gt;</a> <em>once</em>.</p>',
  '<p>Click <b><a href="#n">Next &gt;</a></b> once.</p>',
])('keeps a link with an arrow between elements that are words of the line: %s', html => {
  expect(textOf(html).replace(/[*_\\]/g, '')).toMatch(/^Click (?:Save )?Next > once\.\n$/)
})

it('keeps a link with an arrow that a table or a list explains, and leaves out one in a table of navigation', () => {
  const row = (first: string, second: string) => `<tr><td>${first}</td><td>${second}</td></tr>`
  const next = '<a href="#n">Next »</a>'
  const table = `<table>${row('Link', 'Effect')}${row(next, 'Goes to the berth behind this one')}</table>`
  expect(textOf(`<h1>Links</h1>${table}`)).toContain('| Next » | Goes to the berth behind this one |')
  expect(textOf(`<h1>Links</h1><dl><dt>${next}</dt><dd>Goes on</dd></dl>`)).toMatch(/Next »\**\s+Goes on/)
  for (const bar of [row('Page 3 of 9', next), row('<a href="#p">« Previous</a>', `Tides</td><td>${next}`)])
    expect(textOf(`<h1>Links</h1><table>${bar}${row('Harbour', 'Quay')}</table>`)).not.toMatch(/Next/)
})

it.each([
  'Read the <a title="Next page" href="t">chapter on tides, which explains why a rope must be slack at low water</a> first.',
  'See <a rel="next" href="t">Tides and the moon</a>.',
  '<b>Careful:</b> <a href="k">Knots</a>, <a rel="prev" href="t">tides and the moon</a>',
])('keeps a paragraph with words beside a link to the next page: %s', html => {
  const plain = html.replace(/<[^>]*>/g, '')
  expect(textOf(`<h1>Mooring</h1><div><p>${html}</p></div>`).replaceAll('**', '')).toBe(`# Mooring\n\n${plain}\n`)
})

it('leaves out a bar with a label before each link, and one with the numbers of pages', () => {
  const labels = '<div>Previous: <a title="previous chapter" href="k">Knots</a> Up: <a href="/">Home</a></div>'
  const pages = '<p><a href="1">1</a> 2 <a href="3">3</a> of 9 <a rel="next" href="3">More</a></p>'
  expect(textOf(`<h1>Mooring</h1><p>Take the rope.</p>${labels}${pages}`)).toBe('# Mooring\n\nTake the rope.\n')
})

it('leaves out a bar of linked pictures, and a table that says that it is navigation', () => {
  const bar =
    '<table><tr><td><a href="a.html"><img src="p.png" alt="Previous"></a></td><td><a href="b.html"><img src="n.png" alt="Next page"></a></td></tr></table>'
  const named = '<table summary="Navigation header"><tr><td>Valve manual</td></tr></table>'
  expect(textOf(`${bar}${named}<h1>Mooring</h1><p>Take the rope.</p>`)).toBe('# Mooring\n\nTake the rope.\n')
})

it('keeps notes of the role alert, and buttons that are headings or names in a sentence', () => {
  const page = `<h1>Fares</h1><h2><button aria-expanded="false">How do I pay?</button></h2><div role="alert">Only in cash.</div>
    <p>Press <button>Save</button> first.</p><div class="copy"><button>Copy</button></div><h2>Times <button>Copy link</button></h2><p><button>Run</button></p>`
  expect(textOf(page)).toBe('# Fares\n\n## How do I pay?\n\nOnly in cash.\n\nPress Save first.\n\n## Times\n')
})

it.each([
  ['2<sup>32</sup> − 1 and 10<sup>-6</sup>', '2^32 − 1 and 10^-6'],
  ['x<sup>n-1</sup>, 5 m<sup>2</sup>, H<sub>2</sub>O', 'x^n-1, 5 m^2, H2O'],
  ['within 14<sup><a href="#fn1">1</a></sup> days', 'within 14[1] days'],
  ['on the 1<sup>st</sup> of May, ACME<sup>TM</sup>', 'on the 1st of May, ACMETM'],
  ['as said.<sup class="reference"><a href="#n">[2]</a></sup>', 'as said.[2]'],
])('writes %s', (html, text) => {
  expect(textOf(`<h1>Numbers</h1><p>${html}</p>`)).toBe(`# Numbers\n\n${text}\n`)
})

it('leaves out a list or table of links above the first heading and paragraph', () => {
  const menu = '<ul><li><a href="/">Start</a></li><li><a href="/b">Fares</a></li></ul>'
  const table = '<table><tr><td><a href="/">Start</a></td><td><a href="/b">Fares</a></td></tr></table>'
  expect(textOf(`<div>${menu}${table}</div><div><h2>Mooring</h2><p>Take the rope.</p></div>`)).toBe(
    '## Mooring\n\nTake the rope.\n',
  )
})

it('leaves out bars with links to the next and the previous page, as in manuals of Texinfo', () => {
  const link = (rel: string) => `<a href="#x" accesskey="x" rel="${rel}">Knots</a>`
  const bar = `<div class="header"><p>\nNext: ${link('next')}, Previous: ${link('prev')}, Up: ${link('up')} &nbsp; [<a href="#c" rel="contents">Contents</a>]</p></div>`
  expect(textOf(`${bar}<h2>Mooring</h2><p>Take the rope.</p><hr>${bar}<h2>Tides</h2><p>Wait.</p>`)).toBe(
    '## Mooring\n\nTake the rope.\n\n* * *\n\n## Tides\n\nWait.\n',
  )
  const sentence = '<p>When the rope is tight, go on with the <a rel="next" href="/t">tides</a> of the harbour.</p>'
  expect(textOf(sentence)).toBe('When the rope is tight, go on with the tides of the harbour.\n')
  expect(textOf('<div><h2><a rel="next" href="/t">Tides</a></h2></div>')).toBe('## Tides\n')
})

it('leaves out contents with their heading, so that what follows is not below it', () => {
  const links = '<ul><li><a href="#a">Rope</a></li><ul><li><a href="#b">Knots</a></li></ul></ul>'
  const npm = `<h1>Mooring</h1><p>Ties up.</p><section><h2>Table of contents</h2>\n<div>${links}</div></section><div><h3>Rope</h3><p>Take it.</p></div>`
  expect(textOf(npm)).toBe('# Mooring\n\nTies up.\n\n### Rope\n\nTake it.\n')
  expect(textOf('<h2>Contents</h2><ul><li><a href="#a">Rope</a>, 20 m</li></ul>')).toBe(
    '## Contents\n\n-   Rope, 20 m\n',
  )
  expect(textOf(`<h2>Contents</h2><p>Of the box:</p>${links}`)).toContain('## Contents\n\nOf the box:\n\n-   Rope')
})

it('keeps lists of links that are content', () => {
  const links = '<ul><li><a href="/a">Knots</a></li><li><a href="/b">Tides</a></li></ul>'
  const list = '-   Knots\n-   Tides'
  expect(textOf(`<h1>Further reading</h1>${links}`)).toBe(`# Further reading\n\n${list}\n`)
  expect(textOf(`<p>See also:</p>${links}<h2>Rope</h2>`)).toBe(`See also:\n\n${list}\n\n## Rope\n`)
  expect(textOf(links)).toBe(`${list}\n`)
  expect(textOf(`<ul><li><a href="/a">Knots</a> hold the ship</li></ul><h1>Rope</h1>`)).toContain('hold the ship')
})

it('keeps text in elements with names of navigation', () => {
  const doxygen = '<div class="contents"><p>Moors the ship, see <a href="/a">knots</a>.</p></div>'
  expect(textOf(`<div class="header"><h1>Mooring</h1></div>${doxygen}`)).toBe(
    '# Mooring\n\nMoors the ship, see knots.\n',
  )
  expect(textOf('<h2><a class="header" href="#rope">Rope</a></h2><div class="menu">Fish, soup or bread</div>')).toBe(
    '## Rope\n\nFish, soup or bread\n',
  )
  const row = '<tr class="footer"><td>Sum</td><td>3</td></tr>'
  expect(textOf(`<table><tr><th>Rope</th><th>m</th></tr>${row}</table>`)).toContain('| Sum | 3 |')
})

it('keeps a list of the class toc without links, as Texinfo writes it, and leaves out contents that describe each page', () => {
  const list = '<ul class="toc"><li>Ropes that are not whole</li><li>Knots, see <a href="k">tides</a></li></ul>'
  expect(textOf(`<h1>Mooring</h1>${list}`)).toBe('# Mooring\n\n-   Ropes that are not whole\n-   Knots, see tides\n')
  const entry = '<dt><a href="a">MOOR SHIP</a> — tie up a ship at a quay</dt>'
  expect(textOf(`<h1>Mooring</h1><dl class="toc">${entry.repeat(9)}</dl><p>Rope.</p>`)).toBe('# Mooring\n\nRope.\n')
})

it('leaves out the contents beside the text, as Docusaurus writes them', () => {
  const list = '<ul class="table-of-contents table-of-contents__left-border"><li><a href="#r">Ropes</a></li></ul>'
  const page = `<main><h1>Mooring</h1><h2>Ropes</h2><p>Rope.</p><div class="tableOfContents_XG6w">${list}</div></main>`
  expect(textOf(page)).toBe('# Mooring\n\n## Ropes\n\nRope.\n')
})

it('leaves out numbered contents and the footer of the page, as AsciiDoctor writes them', () => {
  const contents =
    '<div class="sect1"><h2 id="_table_of_contents">2. Table of Contents</h2><div class="sectionbody"><div class="ulist"><ul><li><p><a href="#r">Rope</a></p></li></ul></div></div></div>'
  const footer =
    '<div id="footer"><div id="footer-text">Version 3.8<br>Last updated 2023-07-29 20:52:36 UTC</div></div>'
  const text = textOf(`<h1>Mooring</h1>${contents}<h2 id="r">3. Rope</h2><p>Take it.</p>${footer}`)
  expect(text).toBe('# Mooring\n\n## 3. Rope\n\nTake it.\n')
})

it.each([
  ['a part with a heading', '<div id="footer"><h2>Foot</h2>Of the mast.</div>', 'Of the mast.'],
  ['a name of its own', '<div id="footer-settings">Of the mast.</div>', 'Of the mast.'],
  ['an anchor in a heading', '<h2><span id="footer">Foot</span></h2>', '## Foot'],
  ['a paragraph of text', `<div id="footer"><p>${'Ropes '.repeat(20)}</p></div>`, 'Ropes Ropes'],
  ['a long text', `<div id="footer">${'Ropes '.repeat(80)}</div>`, 'Ropes Ropes'],
])('keeps what has the id of a footer, or one like it: %s', (_, html, kept) => {
  expect(textOf(`<h1>Mooring</h1><p>Rope.</p>${html}`)).toContain(kept)
})

it('leaves out what rustdoc says about the page, and keeps code of the class src', () => {
  const head = '<div class="rustdoc-breadcrumbs"><a href="../">quay</a></div><h1>Function moor</h1>'
  const tools = '<a class="src" href="s">Source</a><details><summary class="hideme">Expand description</summary>'
  const text = textOf(`<main>${head}${tools}<p>Ties up.</p><pre class="src">moor()</pre></details></main>`)
  expect(text).toBe('# Function moor\n\nTies up.\n\n```\nmoor()\n```\n')
})

it('keeps a block of the class footer with a paragraph of text, and leaves out one about rights, links or tools', () => {
  const textBelow = (footer: string) => textOf(`<h1>Mooring</h1><p>Rope.</p><div class="footer">${footer}</div>`)
  const text =
    'A ship that lies at the quay over night shows a white light at the bow, and its rope is looked at every hour.'
  expect(textBelow(`<div><p>${text}</p></div>`)).toBe(`# Mooring\n\nRope.\n\n${text}\n`)
  for (const footer of [
    `<p>© Harbour. ${text}</p>`,
    `<p><a href="t">${text}</a></p>`,
    'Generated by Quay 1.9',
    `${text}`,
  ])
    expect(textBelow(footer)).toBe('# Mooring\n\nRope.\n')
})

it('reads thousands of lists of links, and contents inside contents, in linear time', () => {
  const lists = '<ul><li><a href="/">x</a></li></ul>'.repeat(20_000)
  expect(textOf(lists)).toContain('x')
  const linked = `<h2>Contents</h2>${'<b><a rel="next" href="/">x</a></b>'.repeat(20_000)}`
  expect(textOf(linked)).toContain('## Contents')
  const arrows = `<h1>Rope</h1><p>${'<a href="#n">Next &gt;</a> '.repeat(20_000)}</p>`
  expect(textOf(arrows)).toBe('# Rope\n')
  const deep = `${'<div class="toc2">'.repeat(1_500)}${'word '.repeat(20_000)}${'</div>'.repeat(1_500)}`
  expect(textOf(deep)).toContain('word word')
})

describe('a list of links to places of the page', () => {
  const questions = ['How long is the rope?', 'Where is\n the lamp?', 'Who has the key to it?']
  const answers = questions.map((question, at) => `<p><b>(${at}) ${question}</b></p><p>Ask.</p>`).join('')
  const listOf = (texts: readonly string[], href = '#q') =>
    `<ol>${texts.map((text, at) => `<li><a href="${href}${at}">${text}</a></li>`).join('')}</ol>`

  it('is left out where its titles come again, wherever it stands', () => {
    const text = textOf(`<h2>Questions</h2><p>Read.</p>${listOf(questions)}${answers}`)
    expect(text).toMatch(/^## Questions\n\nRead\.\n\n\*\*\(0\) How long is the rope\?\*\*\n/)
    expect(text.split('Where is')).toHaveLength(2)
  })

  it('is kept where a sentence goes on in it', () => {
    const textBelow = (before: string) => textOf(`<h2>Questions</h2>${before}${listOf(questions)}${answers}`)
    expect(textBelow('<p>New are:</p>')).toContain('New are:\n\n1.  How long')
    expect(textBelow('<p>Contents:</p>')).not.toContain('1.  How long')
  })

  it('is kept with a word beside a link', () => {
    const list = listOf(questions).replace('</li>', ' Old</li>')
    expect(textOf(`<h2>Questions</h2><p>Read.</p>${list}${answers}`)).toContain('rope? Old')
  })

  it.each([
    ['with a title that does not come again', [...questions, 'What about the tide?'], '#q'],
    ['of names', ['rope', 'lamp', 'key'], '#q'],
    ['to other pages', questions, 'other.html#q'],
    ['of two', questions.slice(0, 2), '#q'],
    ['with titles that come again in it alone', [...questions, 'What about the tide?', 'What about the tide?'], '#q'],
    ['with a picture that is no title', [...questions, '<img src="t.png" alt="The tide of the harbour">'], '#q'],
    ['in another order', questions.toReversed(), '#q'],
  ])('is kept %s', (_, texts, href) => {
    const text = textOf(
      `<h2>Questions</h2><p>Read.</p>${listOf(texts, href)}${answers}<p>The rope, the lamp, a key.</p>`,
    )
    expect(text).toContain('Read.\n\n1.  ')
  })
})

it('a list of many links to places of the page is kept where one of its titles does not come again', () => {
  const titles = Array.from({ length: 40 }, (_, at) => `How long is rope ${at}?`)
  const links = [...titles, 'What about the tide?', ''].map(title => `<li><a href="#q">${title}</a></li>`)
  const answers = titles.map(title => `<h3>${title}</h3><p>Ask.</p>`)
  expect(textOf(`<h1>A</h1><p>Read.</p><ol>${links.join('')}</ol>${answers.join('')}`)).toContain(
    'What about the tide?',
  )
})

it('a list of links to places of the page is kept once where it is there twice, and its titles nowhere else', () => {
  const list = ['the long rope', 'the old lamp', 'the iron key']
    .map(name => `<li><a href="#a">${name}</a></li>`)
    .join('')
  const script = '<script>["the long rope","the old lamp","the iron key"]</script>'
  expect(textOf(`<h1>A</h1><p>Read.</p><ul>${list}</ul><p>Go.</p><ul>${list}</ul>${script}`)).toContain('the iron key')
})

it.each(['IndexWriter', 'AllClassesIndexWriter', 'HelpWriter', 'SearchWriter'])(
  'leaves out the pages of javadoc about pages: %s',
  writer => {
    const page = (name: string) =>
      readHtml(
        Buffer.from(
          `<head><meta name="generator" content="javadoc/${name}"></head><h1>A</h1><p>moor() - Takes the rope.</p>`,
        ),
      )
    expect(page(writer)).toEqual({ fault: 'no text', reason: 'is an index of pages', lang: null })
    // The page of a library or a module has its description.
    for (const kept of ['ClassWriterImpl', 'PackageIndexWriter', 'ModuleIndexWriter'])
      expect(page(kept)).toMatchObject({ text: '# A\n\nmoor() - Takes the rope.\n' })
  },
)

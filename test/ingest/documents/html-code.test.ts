import { expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'

const textOf = (html: string) => (readHtml(Buffer.from(html)) as { text: string }).text

it.each([
  // As DocBook writes a session, and PostgreSQL an operator.
  [
    '<code class="prompt"># </code><strong class="userinput"><code>moor --bow</code></strong>\nmoored',
    '# moor --bow\nmoored',
  ],
  ['<code>OPERATOR(</code><em class="replaceable"><code>name</code></em><code>.</code>=)', 'OPERATOR(name.=)'],
  ['<code>accept</code>  &lt;condition&gt;', 'accept  <condition>'],
])('keeps all of a preformatted block that begins with code: %s', (html, code) => {
  expect(textOf(`<h1>Rope</h1><pre>${html}</pre>`)).toBe(`# Rope\n\n\`\`\`\n${code}\n\`\`\`\n`)
})

it('keeps the lines of code that are elements or end with br, as Docusaurus and rustdoc write them', () => {
  const lines = '<span class="token-line">moor();<br></span><span class="token-line">  go();<br></span>'
  const docusaurus = `<div class="language-js codeBlock"><div><pre tabindex="0"><code class="codeBlockLines">${lines}</code></pre></div></div>`
  expect(textOf(`<p>a</p>${docusaurus}`)).toBe('a\n\n```js\nmoor();\n  go();\n```\n')
  const rows = '<div class="line">moor();</div><div class="line"><br></div><div class="line">go();</div>'
  expect(textOf(`<p>a</p><pre><code class="language-c">${rows}</code></pre>`)).toBe(
    'a\n\n```c\nmoor();\n\ngo();\n```\n',
  )
  const items = '<ol class="linenums"><li class="L0">moor();</li><li class="L1">go();</li></ol>'
  expect(textOf(`<p>a</p><pre class="prettyprint">${items}</pre>`)).toBe('a\n\n```\nmoor();\ngo();\n```\n')
})

it('names the language that an attribute says, and leaves out a label that only names it', () => {
  const starlight = '<figure class="frame"><pre data-language="python"><code>moor()</code></pre></figure>'
  expect(textOf(`<p>a</p>${starlight}`)).toBe('a\n\n```python\nmoor()\n```\n')
  const hugo = '<div class="highlight"><pre><code class="language-go" data-lang="go">moor()</code></pre></div>'
  expect(textOf(`<p>a</p>${hugo}`)).toBe('a\n\n```go\nmoor()\n```\n')
  const spoiled = '<pre data-language="py`\n# Rope"><code>moor()</code></pre>'
  expect(textOf(`<p>a</p>${spoiled}`)).toBe('a\n\n```\nmoor()\n```\n')
  const vitepress = (language: string, label: string) =>
    `<p>a</p><div class="language-${language}"><button></button><span class="lang">${label}</span><pre><code>moor()</code></pre></div>`
  expect(textOf(vitepress('html+mako', 'html+mako'))).toBe('a\n\n```html+mako\nmoor()\n```\n')
  expect(textOf(vitepress('txt', 'txt'))).toBe('a\n\n```\nmoor()\n```\n')
  expect(textOf(vitepress('sh', 'Terminal one'))).toBe('a\n\nTerminal one\n\n```sh\nmoor()\n```\n')
})

it('leaves out what the frame of code says to screen readers only, and keeps such words in cells', () => {
  const words = '<span class="sr-only">Terminal window</span>'
  const frame = `<figure><figcaption><span>moor.sh</span>${words}</figcaption><pre>moor</pre></figure>`
  expect(textOf(`<p>a</p>${frame}`)).toBe('a\n\nmoor.sh\n\n```\nmoor\n```\n')
  expect(textOf(`<table><tr><th>Rope</th><th>Wet</th></tr><tr><td>hemp</td><td>${words}</td></tr></table>`)).toContain(
    '| hemp | Terminal window |',
  )
})

it('writes code in a line without signs and spaces that nobody types', () => {
  const names = '<p>Type <code>mv <em>old</em>&nbsp;<b>new_name</b></code>, then <code>a ` b</code>.</p>'
  expect(textOf(names)).toBe('Type `mv old new_name`, then `` a ` b ``.\n')
  // As DocBook writes what a reader replaces.
  const replaced = '<b><code>interface=<em class="replaceable"><code>eth1</code></em></code></b>'
  expect(textOf(`<p>Use ${replaced}.</p>`)).toBe('Use **`interface=eth1`**.\n')
  expect(textOf('<pre>cp&nbsp;a\n&nbsp;&nbsp;b</pre>')).toBe('```\ncp a\n  b\n```\n')
})

it('keeps the lines of code with line breaks that is all of its paragraph, as in the manual of Apache', () => {
  const lines =
    '\n  &lt;Files "a_b"&gt;<br>\n  <span class="indent">\n&nbsp;&nbsp;Options *<br />\n</span>\n  &lt;/Files&gt;\n'
  expect(textOf(`<h1>Rope</h1><div><p><code>${lines}</code></p></div><p>It ends.</p>`)).toBe(
    '# Rope\n\n```\n<Files "a_b">\n  Options *\n</Files>\n```\n\nIt ends.\n',
  )
  expect(textOf('<h1>Rope</h1><p>Type <code>moor<br>go</code> here.</p>')).toMatch(/Type `moor\s+go` here\.\n$/)
  expect(textOf('<h1>Rope</h1><p><code>moor</code><br><code>go</code></p>')).not.toContain('```')
  const table =
    '<table><tr><th>Name</th><th>Rope</th></tr><tr><td>Bow</td><td><code>moor<br>go</code></td></tr></table>'
  expect(textOf(`<h1>Rope</h1>${table}`)).toContain('| Bow | `moor`<br>`go` |')
})

it('keeps titles, terms and pictures in code with line breaks, and leaves out what a page does not show', () => {
  expect(textOf('<h1>Rope</h1><h2><code>moor<br>go</code></h2><p>Take it.</p>')).toMatch(/^## `moor\s+go`$/mu)
  expect(textOf('<h1>Rope</h1><dl><dt><code>moor<br>go</code></dt><dd>Take it.</dd></dl>')).toMatch(/^`moor\s+go`$/mu)
  expect(textOf('<h1>Rope</h1><p><code>moor<br>go <img alt="Two knots" src="k.png"></code></p>')).toContain('Two knots')
  const hidden = '<span class="lineno">3</span><script>run()</script>'
  expect(textOf(`<h1>Rope</h1><p><code>moor<br>go${hidden}</code></p>`)).toBe('# Rope\n\n```\nmoor\ngo\n```\n')
})

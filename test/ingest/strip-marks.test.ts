import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stripMarks } from '../../src/ingest/markup/strip-marks.ts'

describe('stripMarks', () => {
  it.each([
    [
      'Docusaurus',
      ':::note\nBody.\n:::\n\n:::warning[Read this]\nBody.\n:::\n\n::: tip Custom title\nBody.\n:::',
      'Body.\n\nRead this\nBody.\n\nCustom title\nBody.',
    ],
    [
      'MkDocs',
      '!!! note "Mind the tide"\n    Body.\n\n    ```sh\n    run\n    ```\n\n??? tip\n    Folded.\n\n=== "npm"\n    Tab.\nAfter.',
      'Mind the tide\nBody.\n\n```sh\nrun\n```\n\nFolded.\n\nnpm\nTab.\nAfter.',
    ],
    [
      'code in HTML',
      '| Flag | Default |\n| --- | --- |\n| <code class="nowrap">--web.url</code> | `9090` or <code>9</code> |\n\n`<code>a</code>` and <code>a &lt; b</code>',
      '| Flag | Default |\n| --- | --- |\n| `--web.url` | `9090` or `9` |\n\n`<code>a</code>` and <code>a &lt; b</code>',
    ],
    ['GitBook', '{% tabs %}\n{% tab title="npm" %}\nBody.\n{% endtab %}\n{% endtabs %}', 'npm\nBody.'],
    ['Hugo', '{{< tabs >}}\n{{% alert title="Mind" %}}\nBody.\n{{% /alert %}}\n{{< /tabs >}}', 'Mind\nBody.'],
    ['GitHub', '> [!WARNING]\n> Body.\n>\n> More.', '> Body.\n>\n> More.'],
    [
      'MDX imports',
      "import Tabs from '@theme/Tabs'\nimport { A, B } from \"x\";\nimport './a.css'\nexport const meta = { a: 1 }\n\nBody.",
      '\nBody.',
    ],
    [
      'MDX tags',
      '<Tabs>\n  <TabItem value="npm" label="npm">\n\nBody with <Badge /> and Array<String>.\n\n  </TabItem>\n</Tabs>',
      'npm\n\nBody with <Badge /> and Array<String>.\n',
    ],
    [
      'MDX tags over lines',
      '<Image\n  alt="The gate"\n  src="a.png"\n  width={30}\n/>\n\n<Table\n  rows={[\n    { name: "depth" },\n  ]}\n/>',
      'alt="The gate"\n\n  rows={[\n    { name: "depth" },\n  ]}',
    ],
    ['MDX tags around a line', '<Note type="warning">Mind the <b>gap</b>.</Note>', 'Mind the <b>gap</b>.'],
    [
      'titles of MDX tags around a line',
      '<Admonition type="warning" title="Mind the tide">It rises.</Admonition>\n<TabItem value="w" label="Windows">Use it.</TabItem>',
      'Mind the tide It rises.\nWindows Use it.',
    ],
    [
      'MDX exports over lines',
      'export default function Layout({ children }) {\n  const a = 1\n\n  return <div>{children}</div>\n}\n\nexport const Card = ({\n  name,\n}) => (\n  <b>{name}</b>\n);\n\nBody.\n\nexport default settings (\nBody of them\n)',
      '\n\nBody.\n\nexport default settings (\nBody of them\n)',
    ],
    [
      'MDX imports over lines',
      'import {\n  Card,\n  Grid as Rows,\n} from \'@site/cards\';\nimport React, { useState,\n  useRef } from "react"\n\nimport {\n  goods: from abroad,\n} for the shop',
      '\nimport {\n  goods: from abroad,\n} for the shop',
    ],
    ['snippets', '<Snippet text={`npm i x`} prompt={false} />', 'npm i x'],
    ['comments', '<!-- prettier-ignore -->\nA.\n{/* one\n\ntwo */}\nB. <!-- open\nC.', 'A.\nB. <!-- open\nC.'],
    [
      'anchors',
      '## Tides {#tides}\n\n### <a id="x"></a>Bells\n\n[[toc]]\n{: .no_toc }\n\nA set {a} of {#b}',
      '## Tides\n\n### Bells\n\n\nA set {a} of {#b}',
    ],
    [
      'badges',
      '[![a](b)](c) [![d][e]][f]\n# Tides [![a](b "t")](c)\n\nSee [![a](b)](c) there.\n\n## [![Logo](b)](c)\n\n```\n[![a](b)](c)\n```',
      '# Tides\n\nSee [![a](b)](c) there.\n\n## Logo\n\n```\n[![a](b)](c)\n```',
    ],
  ])('reads %s', (name, text, expected) => {
    expect(stripMarks(text)).toBe(
      name === 'MDX tags over lines' ? expected.replace('alt="The gate"', 'The gate') : expected,
    )
  })

  it('leaves code and ordinary Markdown as they are', () => {
    const fence = "```mdx\nimport A from 'a'\n:::note\n<Tabs>\n<!-- x -->\n{% if %}\n!!! note\n```"
    const plain =
      'Title\n===\n\n> quote\n>\n> more\n\nimport your data from the shop\n\n<div align="center">\n  text\n</div>\n\n- a\n    - b\n\n    code\n'
    for (const text of [fence, `- item\n\n  ${fence.replaceAll('\n', '\n  ')}\n`, plain])
      expect(stripMarks(text)).toBe(text)
  })

  it.each([
    [
      'indented code',
      'A template greets the user:\n\n    {% if user %}\n\n    <!-- greeting -->\n    Hello {{ user }}\n    {% endif %}\n    <Header title="x" />\n\nThe end.',
    ],
    ['code below a heading', '# Imports\n    import A from "a"\n'],
    ['code behind a tab', 'Text.\n\n\timport A from "a"\n'],
    ['code in a list', '1. Write\n\n       <Header title="x" />\n\n   and save.\n'],
    ['placeholders', 'Type\n\n<Customer Number>\n\nand then\n\n<Press Enter to continue>\n\n<Password>\n'],
    ['a paragraph that begins with code', '```a```\n\n> ```b``` and ```c```\n'],
  ])('leaves %s as it is', (_, text) => {
    expect(stripMarks(text)).toBe(text)
  })

  it.each([
    ['a paragraph that begins with code', '```a``` is code.\n\n:::tip\nBody.\n:::', '```a``` is code.\n\nBody.'],
    ['a list', '- Item\n\n    <Note>\n    Mind it.\n    </Note>', '- Item\n\n    Mind it.'],
    [
      'components',
      '<Tabs lazy>\n\n    <TabItem label="npm">\n\n    Text.\n\n    </TabItem>\n\n</Tabs>\n\n    <Tabs>',
      '\nnpm\n\n    Text.\n\n\n\n    <Tabs>',
    ],
    ['a component over lines', '<Tabs\n  id="a"\n>\n\n    <Tab />\n\n</Tabs>\n\n    <Tab />', '\n\n\n    <Tab />'],
    ['a comment between paragraphs', 'A.\n\n<!-- x -->\nB.', 'A.\n\nB.'],
  ])('finds the marks after the begin of %s', (_, text, expected) => {
    expect(stripMarks(text)).toBe(expected)
  })

  it('changes nothing in text without marks', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const line = fc.oneof(
      fc.array(word).map(all => all.join(' ')),
      fc.constantFrom('', '# a', '- b', '```', '| a | b |', '> c', '---'),
    )
    fc.assert(
      fc.property(fc.array(line), lines => {
        expect(stripMarks(lines.join('\n'))).toBe(lines.join('\n'))
      }),
    )
  })

  // Each of these would hang a rule whose time grows faster than the line.
  it.each([
    '<!--',
    '<!-- -->',
    '{/*',
    ':::a ',
    '::: ',
    '{% a ',
    '{{< a ',
    '<A ',
    '<A a="',
    'import a, ',
    'import  ',
    'export const }; ',
    'export const {\n ',
    '!!! a ',
    '    ',
    '# {#a',
    '# a  ',
    '<a id="',
    '[[toc',
    '`',
    '~~~ ',
    'title="',
    'title  ',
    '- ',
    '    - a',
    '</A>',
    '<A b',
    '<!-- x -->\n\n    a\n',
    '```\n<!--\n',
  ])('reads 200 kB of %j, in one line and in many', mark => {
    for (const unit of [mark, `${mark}\n`]) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length))
      expect(stripMarks(text).length).toBeLessThanOrEqual(text.length)
      expect(stripMarks(`${text}}\n`).length).toBeLessThanOrEqual(text.length + 2)
    }
  })
})

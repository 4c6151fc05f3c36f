import { describe, expect, it } from 'vitest'
import { readSections } from '../../../src/ingest/chunking/sections.ts'
import { readNotebook } from '../../../src/ingest/documents/notebook/read-notebook.ts'

type Cell = Record<string, unknown>

const markdown = (...source: string[]): Cell => ({ cell_type: 'markdown', source })
const code = (source: string, ...outputs: object[]): Cell => ({ cell_type: 'code', source, outputs })
const stream = (text: string | string[], name = 'stdout') => ({ output_type: 'stream', name, text })
const result = (data: object) => ({ output_type: 'execute_result', data })

function read(cells: Cell[], metadata: object = { language_info: { name: 'python' } }) {
  const document = readNotebook(Buffer.from(JSON.stringify({ nbformat: 4, metadata, cells })))
  if ('fault' in document) throw new Error(document.reason)
  return document
}

const textOf = (...cells: Cell[]) => read(cells).text

describe('a notebook', () => {
  it('becomes markdown: its text, its code in the language of the kernel, and what that printed', () => {
    const cells = [
      markdown('# Tides\n', '\n', 'They *rise*.'),
      code('height = read()\nheight', stream(['read ', 'it\n']), result({ 'text/plain': ['4.5'] })),
      code(''),
      { cell_type: 'raw', source: 'A note.' },
    ]
    const { title, text } = read(cells)
    expect(title).toBe('Tides')
    expect(text).toBe(
      '# Tides\n\nThey *rise*.\n\n```python\nheight = read()\nheight\n```\n\nOutput:\n\n```\nread it\n4.5\n```\n\nA note.\n',
    )
  })

  it('is read in nbformat 3, too', () => {
    const cells = [
      { cell_type: 'heading', level: 2, source: ['Tides'] },
      {
        cell_type: 'code',
        language: 'python',
        input: ['print(1)\n', 'x'],
        outputs: [
          { output_type: 'stream', stream: 'stdout', text: ['1\n'] },
          { output_type: 'stream', stream: 'stderr', text: ['careful\n'] },
          { output_type: 'pyout', text: ['2'], html: ['<b>2</b>'] },
          { output_type: 'pyerr', ename: 'TideError', evalue: 'too low', traceback: ['a', 'b'] },
        ],
      },
    ]
    const notebook = { nbformat: 3, metadata: {}, worksheets: [{ cells }, { cells: [markdown('More.')] }] }
    expect(readNotebook(Buffer.from(JSON.stringify(notebook)))).toMatchObject({
      text: '## Tides\n\n```python\nprint(1)\nx\n```\n\nOutput:\n\n```\n1\n2\nTideError: too low\n```\n\nMore.\n',
    })
  })

  it('leaves out pictures, HTML, widgets, objects without a text and stderr', () => {
    const image = result({ 'image/png': 'AAAA', 'text/plain': '<Figure size 640x480>' })
    const widget = result({ 'application/vnd.jupyter.widget-view+json': {}, 'text/plain': 'IntProgress(value=0)' })
    const object = result({ 'text/plain': '[<matplotlib.lines.Line2D at 0x7f3a>]' })
    const warning = stream('FutureWarning\n', 'stderr')
    const html = result({ 'text/html': '<table><tr><td>secret</td></tr></table>', 'text/plain': 'depth 4.5' })
    const text = textOf(code('plot()', image, widget, object, warning, html))
    expect(text).toBe('```python\nplot()\n```\n\nOutput:\n\n```\ndepth 4.5\n```\n')
  })

  it('keeps outputs of markdown as text of the section', () => {
    const output = result({ 'text/markdown': '# Height\n\n**4.5** m', 'text/plain': '<Markdown>' })
    const text = textOf(markdown('# Tides'), code('show()', output))
    expect(text).toContain('**4.5** m')
    expect(readSections(text).map(({ path }) => path)).toEqual(['Tides'])
  })

  it('shows outputs as a terminal does, and bounds them', () => {
    const bar = stream(['  0%|   |\r', ' 50%|=  |\r', '100%|===|\n', '\u001B[31mred\u001B[0m\n'])
    expect(textOf(code('run()', bar))).toContain('```\n100%|===|\nred\n```')
    const lines = textOf(code('run()', stream('line\n'.repeat(5_000))))
    expect(lines).toMatch(/(?:line\n){30}…\n```\n$/)
    expect(textOf(code('run()', stream('x'.repeat(100_000)))).length).toBeLessThan(2_200)
  })

  it('has the title of its front matter, or the heading of level 1 that its text begins with', () => {
    expect(read([code('import tide'), markdown('# Tides\n\nText')]).title).toBe('Tides')
    expect(read([markdown('Text\n\n# Tides')]).title).toBeNull()
    expect(read([markdown('# One'), markdown('# Two')]).title).toBeNull()
    const badge = markdown('<a href="https://host.example"><img src="open.svg"/></a>')
    expect(read([badge, code('%matplotlib inline'), markdown('# Tides')]).text).toBe('# Tides\n')
    const front = read([{ cell_type: 'raw', source: '---\ntitle: Moon\nlevel: 2\n---' }, markdown('# Tides')])
    expect(front).toMatchObject({ title: 'Moon', text: '# Tides\n', frontMatter: { level: 2 } })
  })

  it('keeps its cells apart when one of them does not end what it begins', () => {
    const text = textOf(markdown('```sh\nmoor'), markdown('# A'), markdown('<!-- todo'), markdown('# B'))
    expect(readSections(text).map(({ path }) => path)).toEqual(['', 'A', 'B'])
    expect(textOf(code('print("""\n```\n""")'))).toMatch(/^````python\n/)
  })

  it('leaves out pictures inside of a text', () => {
    const picture = `![Tide](data:image/png;base64,${'A'.repeat(10_000)})`
    expect(textOf(markdown(`See ${picture} here`)).length).toBeLessThan(50)
  })

  it.each([
    ['no JSON', '{"cells": [', 'damaged'],
    ['no cells', '{"a": 1}', 'damaged'],
    ['a list', '[]', 'damaged'],
    ['deep JSON', '['.repeat(200_000), 'damaged'],
    ['deep JSON that ends', `${'['.repeat(200_000)}${']'.repeat(200_000)}`, 'damaged'],
    ['nothing in its cells', '{"cells": [{"cell_type": "code", "source": []}]}', 'no text'],
    [
      'other values where texts belong',
      '{"cells": [1, null, {"cell_type": "markdown", "source": {"a": 1}}]}',
      'no text',
    ],
    ['bytes', '\u0001\0\0\u0002', 'binary'],
  ])('says what is wrong with %s', (_, bytes, fault) => {
    expect(readNotebook(Buffer.from(bytes))).toMatchObject({ fault })
  })
})

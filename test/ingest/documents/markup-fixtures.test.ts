import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'
import { readDocx } from '../../../src/ingest/documents/read-docx.ts'
import { markCode } from '../../../src/ingest/documents/word-code.ts'

const bytesOf = (path: string) => readFileSync(new URL(`./fixtures/${path}`, import.meta.url))

async function textOf(reading: ReturnType<typeof readDocx> | ReturnType<typeof readHtml>) {
  const document = await reading
  if ('fault' in document) throw new Error(document.reason)
  return { ...document, text: document.text.replace(/ {2,}(?=\S)/g, ' ') }
}

describe('readDocx', () => {
  it.each(['pandoc.docx', 'libreoffice.docx'])('reads headings, lists, tables and footnotes of %s', async name => {
    const { title, text, headings } = await textOf(readDocx(bytesOf(`docx/${name}`)))
    expect({ title, headings }).toEqual({ title: 'Notes of the harbour', headings: 'marked' })
    expect(text.match(/^#+ .*$/gm)).toEqual(['# Notes of the harbour', '# Tides', '## Tools'])
    expect(text).toContain('The tide rises twice a day[1].')
    expect(text).toMatch(/^- Rope\n\s+- Thin\n- Lamp$/m)
    expect(text).toContain('1. Ring the bell.\n2. Close the gate.')
    expect(text).toContain('| Gate | Width |\n| --- | --- |\n| South | 38 |\n| North | 41 |')
    expect(text.trimEnd()).toMatch(/\n1\. Except in spring\.$/)
  })

  it('reads code by its style, and by its font', async () => {
    const code = 'Call `moor` with the name of the _berth_:\n\n```\nif (tide > 2) {\n    moor("north");\n}\n```\n\nThen'
    const styled = await readDocx(bytesOf('docx/pandoc-code.docx'))
    expect(styled).toMatchObject({ text: `# Moor a boat\n\n${code} ring the bell.\n` })
    const log = '```\nbell: rung\nberth: north\n```\n\n- `north`\n\nThe log is kept'
    const { text } = await textOf(readDocx(bytesOf('docx/libreoffice-code.docx')))
    expect(text.replace(/- +/g, '- ')).toContain(`${log} for a year`)
    expect(text).toMatch(/^# Moor a boat\n\nCall `moor` with/)
  })

  it.each(['Source Code', 'HTML Preformatted', 'Preformatted Text', 'Code', 'Code Block', 'macro'])(
    'takes the style %s for code',
    style => {
      const run = { type: 'run', styleName: null, children: [{ type: 'text', value: 'moor()' }] }
      const document = { type: 'document', children: [{ type: 'paragraph', styleName: style, children: [run] }] }
      expect(markCode(document).children).toEqual([{ type: 'paragraph', styleName: 'Source Code', children: [run] }])
    },
  )

  it('takes no font for code in a document that has no other', () => {
    const run = { type: 'run', font: 'Courier New', children: [{ type: 'text', value: 'The tide rises twice a day.' }] }
    const document = { type: 'document', children: [{ type: 'paragraph', children: [run] }] }
    expect(markCode(document)).toEqual(document)
  })
})

describe('readHtml', () => {
  it('reads the main part of a documentation page', async () => {
    const { title, lang, text } = await textOf(readHtml(bytesOf('html/documentation.html')))
    expect({ title, lang }).toEqual({ title: 'Install | Ferry', lang: 'en' })
    const steps = '## Steps\n\n1. Download it.\n2. Start it.\n\n```\nferry --init\n ferry start\n```'
    expect(text).toBe(`# Install\n\nFerry needs \`node\` 20 and 200 MB of disk.\n\n${steps}\n\nDo not run it twice.\n`)
  })

  it('reads a page without end tags, without what a browser hides', async () => {
    const { title, text } = await textOf(readHtml(bytesOf('html/messy.html')))
    expect(title).toBe('Old page')
    expect(text).toContain('# Tides')
    expect(text).toMatch(/- +High water\n- +Low water/)
    for (const kept of ['It rises', 'and falls.', 'Menu', '© Port & Sons', 'A red lamp']) expect(text).toContain(kept)
    for (const gone of ['secret', 'query', 'Go', 'note']) expect(text).not.toContain(gone)
  })

  it('reads tables, with a bar in a cell as text', async () => {
    const { title, lang, text } = await textOf(readHtml(bytesOf('html/tables.html')))
    expect({ title, lang }).toEqual({ title: null, lang: 'fr' })
    const rows = '| Article | Price \\| net |\n| --- | --- |\n| Wire | 12.50 |\n| Lamp | 45.00 |'
    expect(text).toBe(`## Prices\n\n${rows}\n\nPlus tax.\n`)
  })

  it('reads ISO-8859-1 as the page declares it', async () => {
    expect(await textOf(readHtml(bytesOf('html/latin.html')))).toMatchObject({
      title: 'Schlüssel',
      lang: 'de',
      text: '# Tür\n\nGröße: 2 m²\n',
    })
  })
})

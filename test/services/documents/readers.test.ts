import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chunkDocument } from '../../../src/ingest/chunking/chunk-document.ts'
import { openDocuments } from '../../../src/ingest/read-documents.ts'
import type { SourceDocument, SourceEntry } from '../../../src/ingest/source-document.ts'

let folder: string
let entries: SourceEntry[]

const FAQ = 'Question,Answer\nWhen is the bell rung?,"At dawn.\n\nAnd at dusk."\nWho has the key?,Zoë has it.\n'
const NOTEBOOK = JSON.stringify({
  nbformat: 4,
  metadata: { kernelspec: { language: 'python' } },
  cells: [
    { cell_type: 'markdown', source: '# Tide tables' },
    { cell_type: 'code', source: 'read()', outputs: [{ output_type: 'stream', name: 'stdout', text: '4.5\n' }] },
  ],
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stowage-readers-'))
  const lay = (name: string, content: string | Uint8Array) => writeFile(join(folder, name), content)
  await lay('faq.CSV', FAQ)
  await lay('depths.tsv', 'berth\tdepth\nnorth\t4\nsouth\t3\n')
  await lay('guide.adoc', '= Guide\n\n== Berths\n\ninclude::/etc/passwd[]\n\nThe berths are numbered.\n')
  await lay('moon.asciidoc', '= Moon\n\nIt pulls.\n')
  await lay('tides.ipynb', NOTEBOOK)
  await lay('bad.ipynb', '{')
  await lay('empty.csv', '')
  await lay(
    'noise.csv',
    Uint8Array.from({ length: 5_000 }, (_, at) => (at * 31) % 256),
  )
  const read: SourceEntry[] = []
  for await (const entry of (await openDocuments(folder)).documents) read.push(entry)
  entries = read
})
afterAll(() => rm(folder, { recursive: true }))

const isRead = (entry: SourceEntry): entry is SourceDocument => 'text' in entry

describe('a folder with tables, notebooks and AsciiDoc', () => {
  it('is read file by file, and what cannot be read is named', () => {
    expect(entries).toMatchObject([
      { docId: 'bad.ipynb', skipped: 'damaged', warning: expect.stringContaining('bad.ipynb is damaged') },
      { docId: 'depths.tsv', title: 'depths', text: expect.stringContaining('| north | 4 |') },
      { docId: 'empty.csv', skipped: 'empty' },
      { docId: 'faq.CSV', title: 'faq', text: expect.stringContaining('| Question | Answer |') },
      { docId: 'guide.adoc', title: 'Guide', warning: expect.stringContaining('leaves out what it includes') },
      { docId: 'moon.asciidoc', title: 'Moon', text: '# Moon\n\nIt pulls.\n' },
      { docId: 'noise.csv', skipped: 'binary' },
      { docId: 'tides.ipynb', title: 'Tide tables', text: expect.stringContaining('```python\nread()\n```') },
    ])
    for (const entry of entries.filter(isRead)) expect(entry.text).not.toContain('root:')
  })

  it('gives chunks that stand at their places in the texts', () => {
    for (const document of entries.filter(isRead)) {
      const { chunks } = chunkDocument(document, { count: text => text.split(/\s+/).length })
      expect(chunks.length).toBeGreaterThan(0)
      for (const { text, charStart, charEnd } of chunks)
        expect(text.endsWith(document.text.slice(charStart, charEnd))).toBe(true)
    }
  })

  it('refuses a table of 40 MB with a reason', async () => {
    const row = `${'bell,'.padEnd(2_000, 'word ')}\n`
    await writeFile(join(folder, 'large.csv'), `name,note\n${row.repeat(20_000)}`)
    const { documents } = await openDocuments(join(folder, 'large.csv'))
    for await (const entry of documents)
      expect(entry).toMatchObject({ skipped: 'too large', warning: expect.stringMatching(/16 MiB of text; divide it/) })
  })
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDocuments } from '../../../src/ingest/read-documents.ts'

it('names a file that cannot be converted, and reads the rest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-documents-'))
  await writeFile(join(folder, 'a.pdf'), '')
  await writeFile(join(folder, 'b.pdf'), 'only text')
  await writeFile(join(folder, 'c.html'), '<h1>Tide</h1><p>It rises.</p>')
  const read: object[] = []
  for await (const document of (await openDocuments(folder)).documents) read.push(document)
  expect(read).toMatchObject([
    { docId: 'a.pdf', skipped: 'empty' },
    { docId: 'b.pdf', skipped: 'not a PDF', warning: expect.stringContaining('b.pdf') },
    { docId: 'c.html', title: 'Tide', text: '# Tide\n\nIt rises.\n' },
  ])
  await rm(folder, { recursive: true })
})

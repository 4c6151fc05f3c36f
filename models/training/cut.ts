/**
 * Cuts documents into chunks as stowage does, and chunks into the parts that packing chooses from, as the reranker reads them.
 *
 * Usage: tsx cut.ts FILE FOLDER…   Each file of a folder is a document; its title is its first heading, or its path.
 */
import { createWriteStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { readingOf, readingWithParts } from '../../src/adapters/models/late-interaction/reading.ts'
import { chunkDocument } from '../../src/ingest/chunking/chunk-document.ts'
import { sentencesToCut } from '../../src/pack/sentences/units.ts'
import { passageOf } from '../../src/pipeline/rerank/passage.ts'
import { sha256 } from '../../src/text/fingerprint.ts'
import { inOneLine } from '../../src/text/printable.ts'

const HEADING = /^#\s+(.+)$/mu

const [target = '', ...folders] = process.argv.slice(2)
const out = createWriteStream(target)
for (const folder of folders) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => relative(folder, join(entry.parentPath, entry.name)))
  for (const doc of files.sort()) {
    const text = await readFile(join(folder, doc), 'utf8')
    const title = doc.endsWith('.md') ? (HEADING.exec(text)?.[1] ?? doc) : doc
    for (const row of passagesOf(doc, title, text)) out.write(`${JSON.stringify(row)}\n`)
  }
}
out.end()

function passagesOf(doc: string, title: string, text: string) {
  const { chunks } = chunkDocument({ docId: doc, title, text }, { count: counted => counted.length / 4 })
  return chunks.map(chunk => {
    const passage = passageOf({ sectionPath: chunk.sectionPath, docTitle: title, text: chunk.text })
    const before = passage.length - chunk.text.length
    const parts = [...sentencesToCut(chunk)].filter(part => part.text.trim() !== '')
    const read = readingWithParts({
      text: passage,
      parts: parts.map(({ start, end }) => ({ start: before + start, end: before + end })),
    })
    return {
      title,
      name: sha256(`${doc}\n${chunk.text}`).slice(0, 10),
      doc,
      path: inOneLine(readingOf(passage).split('\n', 1)[0] ?? ''),
      sentences: read.parts.map(({ start, end }) => inOneLine(read.text.slice(start, end))),
      places: parts.map(({ start, end }) => [chunk.charStart + start, chunk.charStart + end]),
      shown: parts.map(part => part.text.trim()),
    }
  })
}

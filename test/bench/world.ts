import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Chunk } from '../../src/core/types.ts'
import { type GoldenSet, readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { chunkMarkdown } from '../../src/ingest/chunking/chunk-markdown.ts'
import { createTokenizer } from '../../src/text/tokens.ts'

const ROOT = new URL('../../', import.meta.url)
export const tokenizer = createTokenizer('gpt-4o-2024-11-20')

export function pathInRepository(relative: string): string {
  return fileURLToPath(new URL(relative, ROOT))
}

export function readIsharoth(): Promise<GoldenSet> {
  return readGoldenSet(pathInRepository('goldens/isharoth'))
}

/** The documents of a set as chunks of about 200 tokens, as ingestion would store them. */
export function chunksOf({ documents }: Pick<GoldenSet, 'documents'>): Chunk[] {
  let id = 0
  return documents.flatMap(document =>
    chunkMarkdown(document, { count: text => tokenizer.count(text) }).map(chunk => ({
      id: id++,
      collection: 'bench',
      docId: document.docId,
      docTitle: document.title,
      sectionPath: chunk.sectionPath,
      header: chunk.header,
      orderIndex: chunk.orderIndex,
      charStart: chunk.charStart,
      charEnd: chunk.charEnd,
      text: chunk.text,
    })),
  )
}

/** The project's own sources, file by file. */
export function readSources(): string[] {
  const folder = pathInRepository('src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))
  return files.sort().map(path => readFileSync(`${folder}/${path}`, 'utf8'))
}

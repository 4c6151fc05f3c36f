import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDocuments } from '../../src/ingest/read-documents.ts'
import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { DEFAULT_SEED, seededRandom } from '../../src/statistics/seeded-random.ts'

/* Golden sets whose questions are made from what documents say. */

const MOST_QUESTIONS = 80
const MOST_OF_PLACE = 3

/** What a name of a document stands for, and the section that it is in. */
export interface Named {
  document: SourceDocument
  section: string
  key: string
  start: number
  end: number
}

export const sectionOf = ({ document, section }: Named): string => `${document.docId} ${section}`

/** The title of a heading in Markdown, without its number and marks. */
export function titleOf(heading: string): string {
  const title = heading.replace(/^#+ (?:[\d.]+ )?/, '').replace(/[`\\]/g, '')
  return title.replace(/\{.*$/, '').trim()
}

/** The documents of a folder that have text. */
export async function readDocuments(folder: string): Promise<SourceDocument[]> {
  const documents: SourceDocument[] = []
  for await (const document of (await openDocuments(folder)).documents) if ('text' in document) documents.push(document)
  return documents
}

/** Draws up to 80 items in a seeded order, at most three of a place. */
export function draw<Item>(items: readonly Item[], placeOf: (item: Item) => string): Item[] {
  const random = seededRandom(DEFAULT_SEED)
  const drawn = new Map<string, number>()
  return items
    .map(item => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .filter(({ item }) => {
      const before = drawn.get(placeOf(item)) ?? 0
      drawn.set(placeOf(item), before + 1)
      return before < MOST_OF_PLACE
    })
    .slice(0, MOST_QUESTIONS)
    .map(({ item }) => item)
}

/** Writes a set into a folder of its name. @returns the folder */
export async function writeMadeSet(
  target: string,
  name: string,
  { documents, queries }: { documents: readonly SourceDocument[]; queries: readonly object[] },
): Promise<string> {
  const folder = join(target, name)
  const corpus = documents.map(({ docId, title, text }) => ({ doc_id: docId, title, text }))
  await mkdir(folder, { recursive: true })
  for (const [file, rows] of Object.entries({ queries, corpus }))
    await writeFile(join(folder, `${file}.jsonl`), rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return folder
}

/**
 * Cuts the documents of golden sets into chunks as stowage does, as the reranker reads them, and says which of them answer the questions that may be trained on.
 *
 * `isLearned` says which questions these are.
 * A chunk of a gold document answers when it holds half of the words of a gold passage, or stands in one by half; a chunk of another document when
 * it is a copy. A chunk with a smaller part of one is `partial`: neither right nor wrong.
 *
 * Usage: tsx spans.ts FILE SET…
 */
import { createWriteStream } from 'node:fs'
import { readingOf } from '../../src/adapters/models/late-interaction/reading.ts'
import { GoldFinder } from '../../src/evaluation/metrics/common-runs.ts'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import { chunkDocument } from '../../src/ingest/chunking/chunk-document.ts'
import { isLearned } from './learned.ts'

const HALF = 0.5
const COPY = 0.9
const SOME = 0.1

const [file = '', ...sets] = process.argv.slice(2)
const out = createWriteStream(file)
for (const path of sets) {
  const set = await readGoldenSet(path)
  const chunks = set.documents.flatMap(document =>
    chunkDocument(document, { count: text => text.length / 4 }).chunks.map(({ sectionPath, text }) => {
      const source = sectionPath || document.title
      return { doc: document.docId, text: readingOf(source ? `${source}\n${text}` : text), body: text }
    }),
  )
  write({ set: set.name, chunks: chunks.map(({ doc, text }) => ({ doc, text })) })
  for (const golden of set.queries) {
    if (!isLearned(set.name, golden)) continue
    const finder = new GoldFinder(golden.goldPassages.map(({ text }) => text))
    const right: number[] = []
    const partial: number[] = []
    const places = new Set(golden.goldPassages.map(({ place }) => place?.docId))
    for (const [at, { doc, body }] of chunks.entries()) {
      const { golds, words } = finder.in(body)
      const held = Math.max(0, ...golds.map(({ found, total }) => found / Math.max(1, total)))
      const within = Math.max(0, ...golds.map(({ inside }) => inside / Math.max(1, words)))
      const answers = places.has(doc) ? held >= HALF || within >= HALF : held >= COPY
      if (answers) right.push(at)
      else if (held >= SOME || within >= SOME) partial.push(at)
    }
    write({ set: set.name, id: golden.id, query: golden.query, right, partial })
  }
}
out.end()

function write(row: unknown): void {
  out.write(`${JSON.stringify(row)}\n`)
}

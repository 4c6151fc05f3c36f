import { countOf } from '../../src/core/collections.ts'
import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { draw, type Named, readDocuments, sectionOf, titleOf, writeMadeSet } from './made-set.ts'

/*
 * Writes a golden set whose questions ask for a named entry: `npx tsx test/bench/entry-goldens.ts TARGET NAME FOLDER`. The documents are the files of FOLDER. An entry is an item of
 * a list, or a paragraph, that begins with a name in code or in bold; the gold passage is its first paragraph.
 */
const [target, name, folder] = process.argv.slice(2)
if (target === undefined || name === undefined || folder === undefined) {
  console.error('usage: npx tsx test/bench/entry-goldens.ts TARGET NAME FOLDER')
  process.exit(2)
}

/** A name that stands in more places is asked for by nobody. */
const MOST_USES = 3
const FEWEST_WORDS = 6
const LONGEST_ENTRY = 600
const ENTRY = /^[ \t]*(?:[-*+][ \t]+)?(`|\*\*)([^`*\n]{3,50})\1/
const HEADING = /^#{1,6} /
const FENCE = /^(?:```|~~~)/
const ENDS = /^\s*$|^[ \t]*(?:[-*+][ \t]|#|>|\||```)/

function* entriesOf(document: SourceDocument): Generator<Named> {
  let section = ''
  let isInCode = false
  const lines = Array.from(document.text.matchAll(/[^\n]*\n|[^\n]+$/g), ({ 0: line, index }) => ({ line, index }))
  for (const [at, { line, index }] of lines.entries()) {
    if (FENCE.test(line.trim())) isInCode = !isInCode
    if (isInCode) continue
    if (HEADING.test(line)) section = titleOf(line)
    const key = ENTRY.exec(line)?.[2]
    const isFirst = at === 0 || ENDS.test(lines[at - 1]?.line ?? '') || /^[ \t]*[-*+][ \t]/.test(line)
    if (key === undefined || !isFirst) continue
    const below = lines.slice(at + 1).findIndex(next => ENDS.test(next.line))
    const last = below < 0 ? lines.at(-1) : lines[at + below]
    const end = (last?.index ?? index) + (last?.line.trimEnd().length ?? 0)
    const words = document.text.slice(index, end).split(/\s+/).length
    if (words >= FEWEST_WORDS && end - index <= LONGEST_ENTRY)
      yield { document, section, key: key.trim(), start: index + line.length - line.trimStart().length, end }
  }
}

/** Questions of four forms. */
function questionOf(at: number, { key, section }: Named): string {
  const forms = [`What does ${key} mean in ${section}?`, `${section} ${key}`, `What is ${key}?`, `${key} of ${section}`]
  return forms[at % forms.length] ?? ''
}

const documents = await readDocuments(folder)
const entries = documents.flatMap(document => [...entriesOf(document)])
const uses = countOf(entries.map(({ key }) => key))
const known = entries.filter(({ key, section }) => (uses.get(key) ?? 0) <= MOST_USES && section.length >= 3)
const queries = draw(known, sectionOf).map((entry, at) => {
  const { document, start, end } = entry
  return { id: `entry-${at}`, query: questionOf(at, entry), gold: [{ doc_id: document.docId, start, end }] }
})
const set = await writeMadeSet(target, name, { documents, queries })
console.log(`${set}: ${queries.length} questions about ${entries.length} entries of ${documents.length} documents`)

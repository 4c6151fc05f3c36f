import type { SourceDocument } from '../../src/ingest/source-document.ts'
import { draw, readDocuments, writeMadeSet } from './made-set.ts'

/*
 * Writes a golden set whose questions ask for an option of a command: `npx tsx test/bench/option-goldens.ts TARGET NAME FOLDER`. The documents are the files of FOLDER, such as
 * manual pages or the Markdown that commands write about themselves. The gold passage is the line that begins with the option, with the lines below it.
 */
const [target, name, folder] = process.argv.slice(2)
if (target === undefined || name === undefined || folder === undefined) {
  console.error('usage: npx tsx test/bench/option-goldens.ts TARGET NAME FOLDER')
  process.exit(2)
}

const LONGEST_ENTRY = 500
const FEWEST_WORDS = 6

const NAME = String.raw`--?[A-Za-z0-9?][\w-]*`
const VALUE = String.raw`[=\s]?[<[{]?[\w.|<>…:/-]+[>\]}]?`
const ENTRY = new RegExp(
  String.raw`^[ \t>]{0,24}(?:#{2,6} |[-*] )?[\`*]{0,3}(${NAME}(?:[\`*]{0,3}(?:${VALUE})?[\`*]{0,3},? [\`*]{0,3}--?[A-Za-z][\w-]*)*)`,
)
const NAMES = /(?<![\w-])--?[A-Za-z0-9?][\w-]*/g
/** Two spaces, and three words of what the option means. */
const HAS_MEANING = / {2,}\S+ \S+ \S+/

interface Entry {
  document: SourceDocument
  names: string[]
  start: number
  end: number
}

function entriesOf(document: SourceDocument): Entry[] {
  const { text } = document
  const lines = Array.from(text.matchAll(/[^\n]*\n|[^\n]+$/g), ({ 0: line, index }) => ({
    line: line.replace(/\n$/, ''),
    start: index,
  }))
  return lines.flatMap(({ line, start }, at): Entry[] => {
    const [whole, run = ''] = ENTRY.exec(line) ?? []
    if (whole === undefined) return []
    const isHeading = line.trimStart().startsWith('#')
    const saysIt = HAS_MEANING.test(line.slice(whole.length).replace(/[`*]/g, ''))
    const isAboveBlank = lines[at + 1]?.line.trim() === ''
    if (!saysIt && isAboveBlank && !isHeading) return []
    const from = at + (isHeading && isAboveBlank ? 2 : 1)
    const below = lines.slice(from).findIndex(next => endsEntry(next.line) || next.start - start >= LONGEST_ENTRY)
    const last = below === 0 ? lines[at] : (lines[below < 0 ? lines.length - 1 : from + below - 1] ?? lines[at])
    if (last === undefined || (last.start === start && !saysIt)) return []
    const end = last.start + last.line.length
    const indent = line.length - line.trimStart().length
    const isLong = text.slice(start, end).split(/\s+/).length >= FEWEST_WORDS
    return isLong ? [{ document, names: run.match(NAMES) ?? [], start: start + indent, end }] : []
  })
}

function endsEntry(line: string): boolean {
  return line.trim() === '' || ENTRY.test(line) || line.startsWith('#') || line.startsWith('```')
}

/** Questions of four forms. A name that other entries have too comes with that of its document. */
function questionOf(at: number, option: string, document: string, isUnique: boolean): string {
  const forms = [
    isUnique ? `What does ${option} do?` : `What does ${option} do in ${document}?`,
    `${document} ${option}`,
    isUnique ? `meaning of ${option}` : `meaning of ${option} in ${document}`,
    `What is the option ${option.replace(/^-+/, '')} of ${document} for?`,
  ]
  return forms[at % forms.length] ?? ''
}

const documents = await readDocuments(folder)
const entries = documents.flatMap(entriesOf)
const uses = new Map<string, number>()
for (const { names } of entries) for (const option of names) uses.set(option, (uses.get(option) ?? 0) + 1)

const queries = draw(entries, ({ document }) => document.docId).map(({ document, names, start, end }, at) => {
  const [first = ''] = names
  const option = at % 5 === 4 ? first : (names.find(one => one.startsWith('--')) ?? first)
  const title = document.title.replace(/\.txt$|\(\d\w*\)$|\.\d$/, '').replaceAll('_', ' ')
  const query = questionOf(at, option, title, uses.get(option) === 1)
  return { id: `option-${at}`, query, gold: [{ doc_id: document.docId, start, end }] }
})
const set = await writeMadeSet(target, name, { documents, queries })
console.log(`${set}: ${queries.length} questions about ${entries.length} entries of ${documents.length} documents`)

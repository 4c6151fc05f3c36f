/**
 * Makes golden sets of the questions in `written/`: the HTML pages of a Debian package as `stowage ingest` reads them, and the sentences that answer as gold
 * passages. The reranker that ships has learned those of packages that are not in `KEPT_OUT` (parts.py).
 *
 * `python make.py written` leaves the pages, passages and questions. Which questions are taken depends on a hash of their text and on `salt` alone.
 *
 * Usage: tsx written-goldens.ts WORK TARGET QUESTIONS SALT PACKAGE…
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createConverter } from '../../src/ingest/documents/converter.ts'
import { sha256 } from '../../src/text/fingerprint.ts'

interface Passage {
  id: number
  pool: string
  doc: string
  sentences: string[]
}

interface Question {
  pool: string
  source: string
  text: string
  right: number[]
  evidence: number[]
}

interface Range {
  start: number
  end: number
}

/** Pages of a package: those that questions are about, then others. */
const MOST_PAGES = 120
const LARGEST_PAGE = 600_000
const LEAST_TEXT = 200
/** Letters and digits of a sentence: a shorter one is found anywhere. */
const LEAST_SENTENCE = 12
/** Sentences that are so near are one gold passage. */
const NEAR = 8
const TRANSLATED = /\.(?:de|fr|es|ja|ru|zh|pt|it|pl|ca|cs|nl|hu)\b|\/(?:de|fr|es|ja|ru|zh|zh_CN|it|pl|ca|id|ko)\//

const [work = '', target = '', most = '100', salt = '', ...packages] = process.argv.slice(2)
const rowsOf = <Row>(name: string): Row[] =>
  readFileSync(join(work, name), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Row)
const passages = rowsOf<Passage>('sharpen-passages.jsonl')
const questions = rowsOf<Question>('sharpen-queries.jsonl').filter(({ source }) => source === 'written')
const converter = createConverter()
for (const name of packages) await write(name)
await converter.close()

async function write(name: string): Promise<void> {
  const own = sortedBy(
    questions.filter(({ pool }) => pool === `written ${name}`),
    ({ text }) => sha256(salt + text),
  )
  const texts = await readPages(
    name,
    own.map(question => passageOf(question).doc),
  )
  const queries = new Map<string, object>()
  let lost = 0
  for (const question of own) {
    if (queries.size === Number(most)) break
    const gold = goldOf(question, texts.get(passageOf(question).doc)?.text ?? '')
    const doc = docId(passageOf(question).doc)
    const id = sha256(question.text).slice(0, 10)
    if (gold.length === 0) lost++
    else queries.set(id, { id, query: question.text, gold: gold.map(range => ({ doc_id: doc, ...range })) })
  }
  const folder = join(target, name)
  mkdirSync(folder, { recursive: true })
  writeRows(
    join(folder, 'corpus.jsonl'),
    [...texts].map(([doc, page]) => ({ doc_id: docId(doc), ...page })),
  )
  writeRows(join(folder, 'queries.jsonl'), [...queries.values()])
  process.stdout.write(`${name}: ${texts.size} pages, ${queries.size} questions; ${lost} whose answer is not on the page\n`)
}

function passageOf({ right: [place = 0] }: Question): Passage {
  const passage = passages[place]
  if (passage === undefined) throw new Error(`there is no passage ${place}`)
  return passage
}

/** The name of a page without the folders of the package. */
function docId(path: string): string {
  return path.split('/').slice(2).join('/')
}

async function readPages(name: string, asked: string[]): Promise<Map<string, { title: string; text: string }>> {
  const others = htmlFiles(join(work, 'debian', name))
    .map(path => relative(work, path))
    .filter(path => !TRANSLATED.test(path))
  const chosen = [...new Set([...asked, ...sortedBy(others, sha256)])].filter(
    path => statSync(join(work, path)).size < LARGEST_PAGE,
  )
  const pages = new Map<string, { title: string; text: string }>()
  for (const path of chosen.slice(0, MOST_PAGES)) {
    const page = await converter.convert('html', readFileSync(join(work, path)))
    if (!('fault' in page) && page.text.length >= LEAST_TEXT) {
      pages.set(path, { title: page.title ?? '', text: page.text })
    }
  }
  return pages
}

function htmlFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return htmlFiles(path)
    return entry.isFile() && /\.x?html?$/.test(entry.name) ? [path] : []
  })
}

/** The ranges of the sentences that answer; none when one of them is not in the text. */
function goldOf(question: Question, text: string): Range[] {
  const { sentences } = passageOf(question)
  const page = lettersOf(text)
  const passage = page.letters.indexOf(lettersOf(sentences[0] ?? '').letters)
  const golds: Range[] = []
  for (const place of question.evidence) {
    const { letters } = lettersOf(sentences[place] ?? '')
    const behind = passage < 0 ? -1 : page.letters.indexOf(letters, passage)
    const at = behind < 0 ? page.letters.indexOf(letters) : behind
    const [first, last] = [page.places[at], page.places[at + letters.length - 1]]
    if (letters.length < LEAST_SENTENCE || first === undefined || last === undefined) return []
    golds.push({ start: first, end: last + 1 })
  }
  const joined: Range[] = []
  for (const gold of golds.sort((a, b) => a.start - b.start)) {
    const before = joined.at(-1)
    if (before && gold.start - before.end < NEAR) before.end = Math.max(before.end, gold.end)
    else joined.push(gold)
  }
  return joined
}

/** The letters and digits of a text in lower case, and where each stands: white space and marks differ between two readings of a page. */
function lettersOf(text: string): { letters: string; places: number[] } {
  const found = [...text.matchAll(/[\p{L}\p{N}]/gu)].filter(([letter]) => letter.toLowerCase().length === 1)
  return {
    letters: found.map(([letter]) => letter.toLowerCase()).join(''),
    places: found.map(({ index }) => index),
  }
}

function sortedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  return items.map(item => [keyOf(item), item] as const).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item)
}

function writeRows(path: string, rows: readonly object[]): void {
  writeFileSync(path, `${rows.map(row => JSON.stringify(row)).join('\n')}\n`)
}

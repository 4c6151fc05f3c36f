import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readHtml } from '../../src/ingest/documents/html/read-html.ts'
import { rawWords } from '../../src/text/terms/terms.ts'

/*
 * Writes a golden set out of the HTML pages of a FAQ or manual, in any language: `npx tsx test/bench/faq-goldens.ts TARGET FOLDER [--titles]`. A heading
 * below the title of a page is a question, the first paragraphs below it are its gold. With `--titles`, for manuals with a page for each task, the title
 * is the question. The questions leave the documents, so that they are not found by themselves.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { titles: { type: 'boolean', default: false } },
})
const [target, source] = positionals
if (target === undefined || source === undefined) {
  console.error('usage: npx tsx test/bench/faq-goldens.ts TARGET FOLDER [--titles]')
  process.exit(2)
}
/** Whether a heading of this level is a question. */
const asks = (level: number) => (values.titles ? level === 1 : level > 1)

/** The paragraphs of a gold end when they have so many words. A character of a script without spaces is a quarter of a word. */
const WORDS = 60
const FEWEST_WORDS = 8
const NUMBER = /^\d+(?:\\?\.\d+)*\\?\.?\s*/u
const HEADING = /^(#+) (.*)$/u

const words = (text: string) =>
  text.split(/\s+/u).length +
  rawWords(text).filter(word => /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u.test(word)).length / 4

interface Question {
  query: string
  gold: { doc_id: string; start: number; end: number }[]
}

/** The page without its questions, and the questions. */
function readPage(doc_id: string, markdown: string): { text: string; questions: Question[] } {
  const questions: Question[] = []
  let text = ''
  let open: { query: string; start: number; words: number } | null = null
  const close = () => {
    if (open !== null && open.words >= FEWEST_WORDS)
      questions.push({ query: open.query, gold: [{ doc_id, start: open.start, end: text.trimEnd().length }] })
    open = null
  }
  for (const block of markdown.split(/\n{2,}/u)) {
    const [, marks, heading = ''] = HEADING.exec(block.trim()) ?? []
    if (open !== null && (marks !== undefined || open.words >= WORDS)) close()
    if (marks === undefined || !asks(marks.length)) {
      text += `${block}\n\n`
      if (open !== null) open.words += words(block)
      continue
    }
    text += `${marks} ${NUMBER.exec(heading)?.[0].trim() ?? '–'}\n\n`
    open = { query: heading.replace(NUMBER, ''), start: text.length, words: 0 }
  }
  close()
  return { text, questions }
}

const pages = (await readdir(source)).filter(name => name.endsWith('.html') && !name.startsWith('index'))
const documents: { doc_id: string; title: string; text: string }[] = []
const questions: Question[] = []
for (const name of pages.sort()) {
  const page = readHtml(await readFile(join(source, name)))
  if ('fault' in page) continue
  const id = basename(name).replace(/\..*$/u, '')
  const { text, questions: own } = readPage(id, page.text)
  documents.push({ doc_id: id, title: id, text })
  questions.push(...own)
}
const asked = new Map<string, number>()
for (const { query } of questions) asked.set(query, (asked.get(query) ?? 0) + 1)
const rows = questions
  .filter(({ query }) => asked.get(query) === 1)
  .map(question => ({
    id: createHash('sha256').update(JSON.stringify(question)).digest('hex').slice(0, 8),
    ...question,
  }))
const lines = (all: readonly object[]) => all.map(one => `${JSON.stringify(one)}\n`).join('')
await mkdir(target, { recursive: true })
await writeFile(join(target, 'corpus.jsonl'), lines(documents))
await writeFile(join(target, 'queries.jsonl'), lines(rows))
console.log(`${target}: ${documents.length} documents, ${rows.length} questions`)

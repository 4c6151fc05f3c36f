import Table from 'cli-table3'
import { Command } from 'commander'
import MarkdownIt from 'markdown-it'
import { type Browser, chromium } from 'playwright-core'
import { countOf } from '../../src/core/collections.ts'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import type { Converted } from '../../src/ingest/documents/converted.ts'
import { readHtml } from '../../src/ingest/documents/html/read-html.ts'
import { readPdf } from '../../src/ingest/documents/pdf/read-pdf.ts'
import { finish, progressLine } from './terminal.ts'

interface Way {
  name: string
  convert(browser: Browser, html: string): Promise<Converted>
}

/** How a document is written, and read again. */
const WAYS: readonly Way[] = [
  { name: 'HTML', convert: async (_, html) => readHtml(Buffer.from(html)) },
  { name: 'PDF with tags', convert: async (browser, html) => readPdf(await print(browser, html, true)) },
  { name: 'PDF without tags', convert: async (browser, html) => readPdf(await print(browser, html, false)) },
]

/** What is counted in the Markdown of a document. */
const PARTS: Readonly<Record<string, (markdown: string) => string[]>> = {
  'rows of tables': tableRows,
  'lines of code': codeLines,
}

/** Narrow pages, so that many cells have several lines. */
const STYLE =
  'body { font: 11pt serif; width: 420pt } td, th { padding: 3pt 6pt; text-align: left; vertical-align: top }'

const program = new Command('bench:documents')
  .description(
    'how many rows of tables and lines of code in golden sets come back whole from HTML and PDF. It needs Chromium.',
  )
  .argument('<set...>', 'folders of golden sets whose documents are Markdown')
  .option('--chromium <file>', 'the program that prints the PDFs', '/usr/bin/chromium')
  .action(run)

async function run(folders: string[], { chromium: executablePath }: { chromium: string }): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const table = new Table({
    head: ['set', 'documents', 'parts', 'number', ...WAYS.map(({ name }) => `${name}, %`)],
    style: { head: [], border: [], compact: true },
  })
  try {
    for (const folder of folders) table.push(...(await rowsOf(folder, browser)))
  } finally {
    await browser.close()
  }
  process.stdout.write(`${table}\n`)
}

async function rowsOf(folder: string, browser: Browser): Promise<(string | number)[][]> {
  const { name, documents } = await readGoldenSet(folder)
  const say = progressLine(process.stderr, name)
  const counts = Object.entries(PARTS).map(([what, partsOf]) => ({ what, partsOf, total: 0, whole: WAYS.map(() => 0) }))
  for (const [at, { text }] of documents.entries()) {
    say(at + 1, documents.length)
    const html = `<!doctype html><html lang="en"><style>${STYLE}</style><body>${new MarkdownIt().render(text)}</body></html>`
    const read: string[] = []
    for (const { convert } of WAYS) {
      const document = await convert(browser, html)
      read.push('fault' in document ? '' : document.text)
    }
    for (const count of counts) {
      const expected = count.partsOf(text)
      count.total += expected.length
      count.whole = count.whole.map((whole, way) => whole + common(expected, count.partsOf(read[way] ?? '')))
    }
  }
  return counts.map(({ what, total, whole }) => [
    ...[name, documents.length, what, total],
    ...whole.map(count => (total === 0 ? '–' : ((100 * count) / total).toFixed(1))),
  ])
}

/** How many of the expected parts are among those that were read, each as often as it is there. */
function common(expected: readonly string[], read: readonly string[]): number {
  const left = countOf(read)
  let found = 0
  for (const part of expected) {
    const count = left.get(part) ?? 0
    if (count > 0) found += 1
    left.set(part, count - 1)
  }
  return found
}

async function print(browser: Browser, html: string, tagged: boolean): Promise<Uint8Array> {
  const page = await browser.newPage()
  try {
    await page.setContent(html)
    return await page.pdf({ format: 'A4', tagged, outline: false })
  } finally {
    await page.close()
  }
}

/** The letters and digits of each row of the tables, cell by cell: the marks of Markdown differ, and a printed table shows none. */
function tableRows(markdown: string): string[] {
  const rows: string[] = []
  let cells: string[] | null = null
  for (const token of new MarkdownIt().parse(markdown, {})) {
    if (token.type === 'tr_open') cells = []
    else if (token.type === 'inline') cells?.push(shown(token.children ?? []))
    else if (token.type === 'tr_close' && cells !== null) {
      rows.push(cells.join(' | '))
      cells = null
    }
  }
  return rows
}

/** The lines of code with their indentation. */
function codeLines(markdown: string): string[] {
  const code = new MarkdownIt().parse(markdown, {}).filter(({ type }) => type === 'fence' || type === 'code_block')
  return code.flatMap(({ content }) => content.split('\n')).filter(line => line.trim() !== '')
}

function shown(tokens: readonly { type: string; content: string }[]): string {
  const text = tokens.filter(({ type }) => type === 'text' || type === 'code_inline').map(({ content }) => content)
  return text.join('').replace(/[^\p{L}\p{N}]+/gu, '')
}

await finish(program)

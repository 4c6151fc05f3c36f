import Table from 'cli-table3'
import { Command } from 'commander'
import MarkdownIt from 'markdown-it'
import { type Browser, chromium } from 'playwright-core'
import { readGoldenSet } from '../../src/evaluation/golden-set/golden-set.ts'
import type { Converted } from '../../src/ingest/documents/converted.ts'
import { readHtml } from '../../src/ingest/documents/html/read-html.ts'
import { readPdf } from '../../src/ingest/documents/pdf/read-pdf.ts'
import { finish, progressLine } from './terminal.ts'

/** How a document is written, and read again. */
const WAYS: Readonly<Record<string, (browser: Browser, html: string) => Promise<Converted>>> = {
  HTML: async (_, html) => readHtml(Buffer.from(html)),
  'PDF with tags': async (browser, html) => readPdf(await print(browser, html, true)),
  'PDF without tags': async (browser, html) => readPdf(await print(browser, html, false)),
}

/** Narrow pages, so that many cells have several lines. */
const STYLE =
  'body { font: 11pt serif; width: 420pt } td, th { padding: 3pt 6pt; text-align: left; vertical-align: top }'

const program = new Command('bench:documents')
  .description(
    'how many rows of the tables in golden sets come back whole from HTML and PDF: with the same text in each cell. It needs Chromium.',
  )
  .argument('<set...>', 'folders of golden sets whose documents are Markdown with tables')
  .option('--chromium <file>', 'the program that prints the PDFs', '/usr/bin/chromium')
  .action(run)

async function run(folders: string[], { chromium: executablePath }: { chromium: string }): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const table = new Table({
    head: ['set', 'documents', 'rows of tables', ...Object.keys(WAYS).map(way => `${way}, %`)],
    style: { head: [], border: [], compact: true },
  })
  try {
    for (const folder of folders) table.push(await rowOf(folder, browser))
  } finally {
    await browser.close()
  }
  process.stdout.write(`${table}\n`)
}

async function rowOf(folder: string, browser: Browser): Promise<(string | number)[]> {
  const { name, documents } = await readGoldenSet(folder)
  const whole = new Map(Object.keys(WAYS).map(way => [way, 0]))
  const say = progressLine(process.stderr, name)
  let rows = 0
  for (const [at, { text }] of documents.entries()) {
    say(at + 1, documents.length)
    const expected = rowsOf(text)
    rows += expected.length
    const html = `<!doctype html><html lang="en"><style>${STYLE}</style><body>${new MarkdownIt().render(text)}</body></html>`
    for (const [way, read] of Object.entries(WAYS)) {
      const document = await read(browser, html)
      const found = new Set('fault' in document ? [] : rowsOf(document.text))
      whole.set(way, (whole.get(way) ?? 0) + expected.filter(row => found.has(row)).length)
    }
  }
  const shares = [...whole.values()].map(count => ((100 * count) / rows).toFixed(1))
  return [name, documents.length, rows, ...shares]
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
function rowsOf(markdown: string): string[] {
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

function shown(tokens: readonly { type: string; content: string }[]): string {
  const text = tokens.filter(({ type }) => type === 'text' || type === 'code_inline').map(({ content }) => content)
  return text.join('').replace(/[^\p{L}\p{N}]+/gu, '')
}

await finish(program)

import Table from 'cli-table3'
import { Command } from 'commander'
import MarkdownIt from 'markdown-it'
import { type Browser, chromium } from 'playwright-core'
import { readGoldenSet } from '../../../src/evaluation/golden-set/golden-set.ts'
import type { Converted } from '../../../src/ingest/documents/converted.ts'
import { readHtml } from '../../../src/ingest/documents/html/read-html.ts'
import { readPdf } from '../../../src/ingest/documents/pdf/read-pdf.ts'
import { finish, progressLine } from '../terminal.ts'
import { common, PARTS } from './parts.ts'

/** A page of HTML, and the height of the paper in millimetres. */
interface Source {
  html: string
  height: number
}

interface Way {
  name: string
  convert(browser: Browser, source: Source): Promise<Converted>
}

/** How a document is written, and read again. */
const WAYS: readonly Way[] = [
  { name: 'HTML', convert: async (_, { html }) => readHtml(Buffer.from(html)) },
  { name: 'PDF with tags', convert: async (browser, source) => readPdf(await print(browser, source, true)) },
  { name: 'PDF without tags', convert: async (browser, source) => readPdf(await print(browser, source, false)) },
]

/** Narrow pages, so that many cells have several lines. */
const STYLE =
  'body { font: 11pt serif; width: 420pt } td, th { padding: 3pt 6pt; text-align: left; vertical-align: top }'

const program = new Command('bench:documents')
  .description(
    'how many tables, rows of tables, lines of code, items of lists and paragraphs in golden sets come back whole from HTML and PDF. It needs Chromium.',
  )
  .argument('<set...>', 'folders of golden sets whose documents are Markdown')
  .option('--chromium <file>', 'the program that prints the PDFs', '/usr/bin/chromium')
  .option('--height <mm>', 'height of the paper: page breaks part more tables when it is less', Number, 297)
  .action(run)

async function run(
  folders: string[],
  { chromium: executablePath, height }: { chromium: string; height: number },
): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const table = new Table({
    head: ['set', 'documents', 'parts', 'number', ...WAYS.map(({ name }) => `${name}, %`)],
    style: { head: [], border: [], compact: true },
  })
  try {
    for (const folder of folders) table.push(...(await rowsOf(folder, browser, height)))
  } finally {
    await browser.close()
  }
  process.stdout.write(`${table}\n`)
}

async function rowsOf(folder: string, browser: Browser, height: number): Promise<(string | number)[][]> {
  const { name, documents } = await readGoldenSet(folder)
  const say = progressLine(process.stderr, name)
  const counts = Object.entries(PARTS).map(([what, partsOf]) => ({ what, partsOf, total: 0, whole: WAYS.map(() => 0) }))
  for (const [at, { text }] of documents.entries()) {
    say(at + 1, documents.length)
    const html = `<!doctype html><html lang="en"><style>${STYLE}</style><body>${new MarkdownIt().render(text)}</body></html>`
    const read: string[] = []
    for (const { convert } of WAYS) {
      const document = await convert(browser, { html, height })
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

async function print(browser: Browser, { html, height }: Source, tagged: boolean): Promise<Uint8Array> {
  const page = await browser.newPage()
  try {
    await page.setContent(html)
    return await page.pdf({ width: '210mm', height: `${height}mm`, tagged, outline: false })
  } finally {
    await page.close()
  }
}

await finish(program)

import { type ConversionFault, type ConvertedDocument, primaryLanguage, warningOf } from '../converted.ts'
import { isMonospacedFont } from '../monospaced.ts'
import { readAddresses } from './addresses/read-addresses.ts'
import { toBlocks } from './blocks.ts'
import { readingOrder } from './columns.ts'
import { findHeadings, type Headings } from './headings.ts'
import { readShapes, withDrawnMarks } from './lists/drawn-marks.ts'
import { openPdf, type Pdf, type PdfPage } from './open-pdf.ts'
import { readOutline } from './outline.ts'
import { type Line, type Segment, textOf } from './page-text.ts'
import { withoutContents, withoutRunningLines } from './running-lines.ts'
import { type Font, type PageItem, readSegments } from './segments.ts'
import { withTaggedTables } from './tables/tagged-tables.ts'
import { readTags } from './tags.ts'
import { toMarkdown } from './to-markdown.ts'

/** Characters of fonts that do not say which letters they show. */
const UNDECODED = /[\uFFFD\uE000-\uF8FF]/gu
const MOST_UNDECODED = 0.3
/** The library with which Chromium prints. It draws the marks of lists as shapes. */
const MARKS_DRAWN_BY = /^Skia\b/

/**
 * Reads a PDF as markdown: in reading order, without running headers and footers, with headings, lists and simple tables. Pages are read one
 * at a time. Nothing in the file is run, and nothing is fetched.
 */
export async function readPdf(bytes: Uint8Array): Promise<ConvertedDocument | ConversionFault> {
  const pdf = await openPdf(bytes)
  if ('fault' in pdf) return pdf
  try {
    return await convert(pdf)
  } finally {
    await pdf.loadingTask.destroy()
  }
}

async function convert(pdf: Pdf): Promise<ConvertedDocument | ConversionFault> {
  const { info } = (await pdf.getMetadata().catch(() => ({ info: {} }))) as { info: Record<string, unknown> }
  const drawsMarks = MARKS_DRAWN_BY.test(String(info.Producer))
  const fonts = new Map<string, Font>()
  const pages: Segment[][] = []
  const addresses: string[][] = []
  let damaged = 0
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await readPage(pdf, number, fonts, drawsMarks).catch(() => null)
    if (page === null) damaged += 1
    pages.push(page?.segments ?? [])
    addresses.push(page?.addresses ?? [])
  }
  const empty = pages.filter(page => page.length === 0).length
  const text = pages
    .flat()
    .map(segment => segment.text)
    .join('')
  if (damaged === pages.length) return { fault: 'damaged', reason: 'is damaged: none of its pages can be read' }
  if (!/[\p{L}\p{N}]/u.test(text)) return { fault: 'no text layer', reason: 'has no text layer: it needs OCR' }
  if ((text.match(UNDECODED)?.length ?? 0) > MOST_UNDECODED * text.length)
    return { fault: 'no text layer', reason: 'has fonts that do not say which letters they show: it needs OCR' }
  const lines = withoutContents(orderPages(withTaggedTables(withoutRunningLines(pages))))
  const headings = findHeadings(lines, await readOutline(pdf))
  const blocks = toBlocks(lines, headings)
  return {
    ...toMarkdown(blocks, pdf.numPages, addresses),
    title: metadataTitle(info.Title) ?? titleHeading(lines, headings),
    lang: primaryLanguage(info.Language),
    headings: headings.source === 'unknown' ? 'unknown' : 'marked',
    warning: warningOf([damagedWarning(damaged, pages.length), emptyWarning(empty - damaged, pages.length)]),
  }
}

async function readPage(
  pdf: Pdf,
  number: number,
  fonts: Map<string, Font>,
  drawsMarks: boolean,
): Promise<{ segments: Segment[]; addresses: string[] }> {
  const page = await pdf.getPage(number)
  const { items, styles } = await page.getTextContent({ includeMarkedContent: true })
  if (Object.keys(styles).some(name => !fonts.has(name))) await readFonts(page, Object.keys(styles), fonts)
  const tags = await readTags(page, number)
  const segments = readSegments(items as PageItem[], {
    viewport: page.getViewport({ scale: 1 }).transform,
    fontOf: name => fonts.get(name) ?? { isBold: false, isMonospaced: false },
    tags,
  })
  const shapes = drawsMarks && tags.size === 0 ? await readShapes(page) : []
  const addresses = await readAddresses(page)
  page.cleanup()
  return { segments: withDrawnMarks(segments, shapes), addresses }
}

/** The names of fonts are known after the drawing commands of a page were read; they say whether a font is bold or monospaced. */
async function readFonts(page: PdfPage, names: readonly string[], fonts: Map<string, Font>): Promise<void> {
  await page.getOperatorList().catch(() => null)
  for (const name of names) {
    const font = page.commonObjs.has(name) ? (page.commonObjs.get(name) as { name?: unknown } | null) : null
    const full = typeof font?.name === 'string' ? font.name : ''
    fonts.set(name, {
      isBold: /bold|black|heavy|demi|cmbx|cmssbx|sfbx|ecbx|[-_,]bd\b/i.test(full),
      isMonospaced: isMonospacedFont(full),
    })
  }
}

function orderPages(pages: Segment[][]): Line[] {
  const first = pages.map((segments, page) => readingOrder(segments, page))
  const gutters = [...new Set(first.flatMap(page => page.gutters))]
  return first.flatMap(({ lines, gutters: own }, page) =>
    own.length > 0 || gutters.length === 0 ? lines : readingOrder(pages[page] ?? [], page, gutters).lines,
  )
}

/** The title in the metadata, unless a program filled in the name of a file. */
function metadataTitle(title: unknown): string | null {
  if (typeof title !== 'string') return null
  const clean = title.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  const isFilled = /\.(?:docx?|odt|tex|dvi|indd|pptx?|xlsx?|pdf|html?|md|rtf|txt)$/i.test(clean)
  const isDefault = /^(?:untitled|microsoft word|powerpoint|document ?\d*$|about:blank)/i.test(clean)
  return clean === '' || isFilled || isDefault ? null : clean
}

/** The only heading of level 1, when it is on the first page. */
function titleHeading(lines: readonly Line[], headings: Headings): string | null {
  const [first, ...others] = [...headings.found].filter(([, { level }]) => level === 1)
  if (first === undefined || others.length > 0 || lines[first[0]]?.page !== 0) return null
  return textOf(lines.slice(first[0], first[0] + first[1].lines))
}

const damagedWarning = (damaged: number, pages: number): string | null =>
  damaged > 0 ? `${damaged} of ${pages} pages are damaged` : null

const emptyWarning = (empty: number, pages: number): string | null =>
  empty > 0.2 * pages ? `${empty} of ${pages} pages have no text: they may need OCR` : null

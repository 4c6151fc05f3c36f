import TurndownService from 'turndown'
import { isCode } from '../../../text/code/is-code.ts'
import { closesFence, openingFence } from '../../../text/fence.ts'
import { readSections } from '../../chunking/sections.ts'
import { withoutInvisible } from '../../markup/invisible.ts'
import { type ConversionFault, type ConvertedDocument, primaryLanguage } from '../converted.ts'
import { decodeHtml } from './decode-html.ts'
import { depthOf } from './depth.ts'
import { addRules, closest, type HtmlElement, nameOfPicture } from './element.ts'
import { ESCAPE, escapeText, settleEscapes } from './escapes.ts'
import { parted, partsWords } from './gap.ts'
import { isPermalink, writeHeading } from './headings.ts'
import { isLeftOut } from './left-out.ts'
import { isListOfSections } from './list-of-sections.ts'
import { codeInLine, codeOf, isLabelOfCode, isPreformatted } from './preformatted.ts'
import { writeTables } from './tables.ts'

/** A main part counts as the document when it has at least this share of its text. */
const MAIN_SHARE = 0.3
/** The parser takes time with the square of the depth. */
const MOST_DEPTH = 2_000
/** A set of frames takes the place of the body, which Turndown looks for. */
const FRAMES = /<\/?frameset\b[^<>]*>/gi

/** Whether the term of a definition is a few words without marks or brackets: others, headings and lists are seen to be names as they stand. */
const isPlainName = (text: string, term: HtmlElement): boolean =>
  /^[^*_`()[\]\\\n]{1,80}$/u.test(text) && !term.querySelector('h1, h2, h3, h4, h5, h6, ul, ol')

const MARKED = new Set(['B', 'CODE', 'DEL', 'EM', 'I', 'S', 'STRIKE', 'STRONG'])

/** A page that sends its readers on says so in at most this many letters. */
const SENDS_ON = 300
const REFRESH = /<meta\b[^<>]{0,200}\bhttp-equiv\s*=\s*["']?refresh\b[^<>]{0,1000}>/i
/** Without an address, a page loads itself again. */
const OTHER_PAGE = /\bcontent\s*=\s*["']?\s*\d\s*[;,]\s*(?:url\s*=\s*["']?\s*)?(?!url\b)[^"'\s>]/i

/** Pages of javadoc that say nothing of the program: its index repeats the first sentences of all pages, and its help is about javadoc. */
const ABOUT_PAGES =
  /<meta\b[^<>]{0,200}\bcontent="javadoc\/(?:(?:AllClasses|AllPackages|Single|Split)?Index|Help|Search)Writer"/

/** Reads a page of HTML as markdown. Navigation, scripts, fields of forms and hidden parts are left out. Nothing is run, and nothing is fetched. */
export function readHtml(bytes: Uint8Array): ConvertedDocument | ConversionFault {
  const html = decodeHtml(bytes)
  const lang = /<html\b[^>]{0,1000}?\slang\s*=\s*["']?([\w-]+)/i.exec(html)?.[1]
  return { ...htmlToMarkdown(html), lang: primaryLanguage(lang) }
}

/** @returns a fault when the page has no text; `lang` is null */
export function htmlToMarkdown(html: string): ConvertedDocument | ConversionFault {
  if (depthOf(html, MOST_DEPTH) > MOST_DEPTH)
    return { fault: 'too large', reason: `is nested deeper than ${MOST_DEPTH} elements` }
  if (ABOUT_PAGES.test(html)) return { fault: 'no text', reason: 'is an index of pages' }
  const { markdown, title } = convert(html)
  if (!/[\p{L}\p{N}]/u.test(markdown)) return { fault: 'no text', reason: 'has no text' }
  if (markdown.length <= SENDS_ON && OTHER_PAGE.test(REFRESH.exec(html)?.[0] ?? ''))
    return { fault: 'no text', reason: 'leads to another page' }
  const manual = manualIn(markdown)
  if (manual !== null)
    return { title, text: `${manual}\n`, isPlain: true, lang: null, pages: null, headings: 'marked', warning: null }
  const headings = /^#{1,6} /m.test(markdown) ? 'marked' : 'unknown'
  const heading = /^# +(.*\S)/m.exec(markdown)?.[1] ?? null
  return { title: title ?? heading, text: `${markdown}\n`, lang: null, pages: null, headings, warning: null }
}

/** The text of a page that is one preformatted block with headings, as pages of manuals are; null for other pages. */
function manualIn(markdown: string): string | null {
  const fence = openingFence(markdown)
  const [first, ...lines] = markdown.split('\n')
  if (fence === null || first !== fence) return null
  if (lines.findIndex(line => closesFence(line, fence)) !== lines.length - 1) return null
  const text = lines.slice(0, -1).join('\n')
  return !isCode(text) && readSections(text, true).some(({ heading }) => heading !== null) ? text : null
}

/** A block without a sign of its own. */
const asBlock = (content: string): string => `\n\n${content}\n\n`

const RULES: Parameters<typeof addRules>[1] = {
  struck: { filter: ({ nodeName }) => /^(?:DEL|S|STRIKE)$/.test(nodeName), replacement: content => `~~${content}~~` },
  heading: { filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'], replacement: writeHeading },
  // Turndown does not know that these are blocks.
  'folded part': { filter: ({ nodeName }) => /^(?:DETAILS|SUMMARY|LEGEND)$/.test(nodeName), replacement: asBlock },
  'list of sections': {
    filter: node => {
      const list = node.nodeName === 'LI' ? node.parentNode : node
      return list !== null && isListOfSections(list)
    },
    replacement: asBlock,
  },
  term: {
    filter: 'dt',
    replacement: (content, node) => {
      const name = content.trim()
      return asBlock(isPlainName(name, node) ? `**${name}**` : content)
    },
  },
  superscript: { filter: 'sup', replacement: writeSuperscript },
  link: { filter: 'a', replacement: (content, node) => (isPermalink(node) ? '' : content) },
  image: { filter: 'img', replacement: (_, node) => parted(nameOfPicture(node), node) },
  parted: { filter: node => node.nodeName !== 'IMG' && partsWords(node), replacement: parted },
  // Pages indent examples in this way. Marks of a quotation would stand before each line of code, and code that is cut would not look like code.
  indented: {
    filter: node => node.nodeName === 'BLOCKQUOTE' && Boolean(node.querySelector('pre, table')),
    replacement: asBlock,
  },
  code: { filter: 'code', replacement: codeInLine },
  preformatted: { filter: isPreformatted, replacement: (_, node) => codeOf(node) },
  // Signs in code are code: a reader would type them.
  'marks in code': {
    filter: node => MARKED.has(node.nodeName) && closest(node, ({ nodeName }) => nodeName === 'CODE') !== null,
    replacement: content => content,
  },
  'label of code': { filter: isLabelOfCode, replacement: () => '\n\n' },
}

function convert(html: string): { markdown: string; title: string | null } {
  let title: string | null = null
  const mains: string[] = []
  const service = new TurndownService({
    ...{ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' },
    blankReplacement: (_, node) => {
      const element = node as unknown as HtmlElement & { isBlock: boolean }
      if (isLeftOut(element)) return parted('', element)
      if (element.isBlock) return '\n\n'
      // The inside of an element without text is not read: a picture in it parts words, too.
      return [element, ...Array.from(element.childNodes)].some(partsWords) ? parted('', element) : ''
    },
  })
  // Before the escapes: an underscore inside of a word needs none.
  service.escape = text => escapeText(withoutInvisible(text))
  writeTables(service)
  addRules(service, RULES)
  addRules(service, {
    main: {
      filter: node => node.nodeName === 'MAIN' || node.getAttribute('role') === 'main',
      replacement: content => {
        mains.push(content)
        return asBlock(content)
      },
    },
    title: {
      filter: ({ nodeName }) => nodeName === 'TITLE',
      replacement: (_, { textContent }) => {
        // An image in SVG may have a title too: the first one is that of the page.
        const text = withoutInvisible(textContent ?? '')
        title ??= text.replace(/\s+/g, ' ').trim() || null
        return ''
      },
    },
    'left out': { filter: isLeftOut, replacement: (_, node) => parted('', node) },
  })
  const all = tidy(service.turndown(html.replaceAll(ESCAPE, '').replace(FRAMES, '')))
  const main = tidy(mains.length === 1 ? (mains[0] ?? '') : '')
  return { markdown: main.length >= MAIN_SHARE * all.length ? main : all, title }
}

function tidy(markdown: string): string {
  // Not by a pattern for the ends of lines: it takes time with the square of a run of spaces.
  const lines = settleEscapes(withoutInvisible(markdown))
    .split('\n')
    .map(line => line.trimEnd())
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** Numbers, and the letters that stand for one. Other letters are those of an ordinal or of a mark: 1st, 2e, TM. */
const EXPONENT = /^[-+−–]?(?:\d[\d.,]*|[ijkmnpxyz](?:[-+−–]\d+)?)$/
const NOTE = /^(?:\d+|\p{Ll}|[*†‡§]+)$/u

/** Text above the line. Without a sign, 2 to the power of 32 would be 232, and the mark of a note would be the last digit of a number. */
function writeSuperscript(content: string, node: HtmlElement): string {
  const text = (node.textContent ?? '').trim()
  if (leadsToNote(node)) return NOTE.test(text) ? `[${text}]` : content
  return EXPONENT.test(text) ? `^${text}` : content
}

/** Whether it is, or stands in, a link within the page. */
function leadsToNote(node: HtmlElement): boolean {
  const link = node.querySelector('a') ?? (node.parentNode?.nodeName === 'A' ? node.parentNode : null)
  return link?.getAttribute('href')?.startsWith('#') ?? false
}

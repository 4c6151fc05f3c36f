import { countOf } from '../../core/collections.ts'
import { endsSentence } from '../../text/sentences/sentences.ts'

/** A form feed, or the foot of a memo of the IETF, whose form feeds are lost in many copies. */
const PAGE_END = /\f|(?<=\[Page \d{1,4}\][^\S\n]*\n)/
const FEWEST_PAGES = 3
/** Share of the pages that have a running line. */
const MOST_PAGES = 0.5
/** Lines at the head, or at the foot, of a page that may be running lines. */
const MOST_LINES = 3

type Page = readonly string[]

/**
 * The text of a document that was broken into pages for a printer, without the lines at their heads and feet that are the same on most pages, or have a number that counts the pages. A
 * sentence that goes on behind them becomes whole. Text with less than three pages, or without such lines, stays as it is.
 */
export function withoutRunningLines(text: string): string {
  const pages = text.split(PAGE_END).map(page => page.split('\n'))
  if (pages.length < FEWEST_PAGES) return text
  const upsideDown = (page: Page): Page => [...page].reverse()
  const rest = withoutRunningHeads(withoutRunningHeads(pages).map(upsideDown)).map(upsideDown)
  if (rest.every((page, at) => page.length === pages[at]?.length)) return text
  const kept = rest.map(page => page.join('\n').replace(/^(?:[^\S\n]*\n)+/, '')).filter(page => page.trim() !== '')
  return kept.reduce(joinPages)
}

function withoutRunningHeads(pages: readonly Page[]): Page[] {
  const keysOfHead = (page: Page, at: number) => {
    const head = page.filter(isFilled).slice(0, MOST_LINES)
    return [...new Set(head.flatMap(line => keysOf(line, at)))]
  }
  const counts = countOf(pages.flatMap(keysOfHead))
  const least = Math.max(2, MOST_PAGES * pages.length)
  return pages.map((page, at) => {
    const isRunning = (line: string) => keysOf(line, at).some(key => (counts.get(key) ?? 0) >= least)
    const firstOfText = page.findIndex(line => isFilled(line) && !isRunning(line))
    const from = firstOfText < 0 ? page.length : firstOfText
    return page.slice(0, from).some(isFilled) ? page.slice(from) : page
  })
}

const isFilled = (line: string): boolean => line.trim() !== ''

/** What a line of a page has in common with its like on other pages: all of it, or all but a number that counts the pages. */
function keysOf(line: string, page: number): string[] {
  const words = line.trim().replace(/\s+/g, ' ')
  const form = words.replace(/\d+/g, '0')
  const counting = Array.from(words.matchAll(/\d+/g), ([number], at) => `${at}:${Number(number) - page}:${form}`)
  return [words, ...counting]
}

function joinPages(before: string, after: string): string {
  const goesOn = !endsSentence(before) && /^\s*\p{Ll}/u.test(after)
  return `${before.trimEnd()}${goesOn ? '\n' : '\n\n'}${after}`
}

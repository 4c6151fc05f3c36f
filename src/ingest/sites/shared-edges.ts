import { countOf } from '../../core/collections.ts'
import { blocksOf } from './blocks.ts'

/** Blocks that the pages of a site begin and end with. */
export interface SharedEdges {
  head: ReadonlySet<string>
  tail: ReadonlySet<string>
}

/** A block is shared when it stands at the same edge of this share of the pages, and of this number of them. */
const SHARE = 0.75
export const LEAST_PAGES = 5

/** Finds the blocks that most pages begin or end with. @param pages markdown of some pages of one site */
export function sharedEdges(pages: readonly string[]): SharedEdges {
  const blocks = pages.map(page => blocksOf(page).map(({ text }) => text))
  return { head: atEdge(blocks, headOf), tail: atEdge(blocks, tailOf) }
}

/**
 * A page without the blocks that it shares with the others at its head and at its foot. Headings at the head stay, because they name what the page is about.
 * @returns '' when nothing else is on the page
 */
export function withoutSharedEdges(page: string, { head, tail }: SharedEdges): string {
  const blocks = blocksOf(page)
  const texts = blocks.map(({ text }) => text)
  const first = headOf(texts, head).length
  const behind = blocks.length - tailOf(texts.slice(first), tail).length
  const headings = texts.slice(0, first).filter(isHeading)
  const rest = page.slice(blocks[first]?.start ?? page.length, blocks[behind]?.start ?? page.length).trimEnd()
  if (rest === '') return ''
  return first === 0 && behind === blocks.length ? page : `${[...headings, rest].join('\n\n')}\n`
}

type Edge = (blocks: readonly string[], shared: ReadonlySet<string>) => string[]

/** The blocks that stand at one edge of enough pages. What is on as many pages, but elsewhere, is text: "See also". */
function atEdge(pages: readonly string[][], edge: Edge): ReadonlySet<string> {
  const onPages = mostlyOn(pages)
  return mostlyOn(pages.map(page => edge(page, onPages)))
}

/** The blocks that are on enough pages. */
function mostlyOn(pages: readonly string[][]): ReadonlySet<string> {
  const counts = countOf(pages.flatMap(page => [...new Set(page)]))
  const least = Math.max(LEAST_PAGES, SHARE * pages.length)
  return new Set([...counts].filter(([, count]) => count >= least).map(([block]) => block))
}

/** The blocks up to the last shared one that only headings and shared ones stand above. */
function headOf(blocks: readonly string[], shared: ReadonlySet<string>): string[] {
  const end = blocks.findIndex(block => !shared.has(block) && !isHeading(block))
  const edge = blocks.slice(0, end === -1 ? blocks.length : end)
  return edge.slice(0, edge.findLastIndex(block => shared.has(block) && !isHeading(block)) + 1)
}

function tailOf(blocks: readonly string[], shared: ReadonlySet<string>): string[] {
  return blocks.slice(blocks.findLastIndex(block => !shared.has(block)) + 1)
}

const isHeading = (block: string): boolean => /^#{1,6} /.test(block)

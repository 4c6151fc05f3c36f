import { closesFence, fenceAround, openingFence } from '../../../text/fence.ts'

/** A line around a listing, or around a literal block, of AsciiDoc. */
const DELIMITER = /^(?:-{4,}|\.{4,})$/u
/** What may stand directly above a block: its attributes, its title, or the sign that joins it to an item. */
const ABOVE_BLOCK = /^(?:\[[^\]\n]*\]|\.[^\s.].*|\+)?$/u
/** A block of AsciiDoc, and not a box of another text, has one of these above. */
const MARKS_BLOCK = /^(?:\[(?:source|listing|literal|verse|subs|,)|\.[^\s.]|\+$)/u
const SOURCE = /^\[source\b(?:[%#.][\w-]+)*(?:,\s*([\w+#.-]+))?/u
/** A heading of AsciiDoc. The lines of a table of reStructuredText have more signs behind the space. */
const HEADING = /^={1,6}[^\S\n]+[^\s=]/gmu
/** One such line alone may be a part of a calculation. */
const FEWEST_HEADINGS = 2
/** A command behind the prompt of a shell. */
const PROMPT = /^\$ \S/u
/** Six words of a sentence. */
const PROSE = /(?:(?<![\p{L}\p{N}_.’'-])\p{L}[\p{L}’'-]*[,.:;]?\s){6}/u
/** So many blocks of code show that a text is AsciiDoc. */
const FEWEST_CLEAR = 2

/**
 * A text with the code blocks of AsciiDoc in fences of Markdown: as a `.txt` file, such a text would have its last line of code as a title, because a line of hyphens stands below it. A block has equal lines of hyphens
 * or full stops around it, and no blank line inside of them. In a text with less than two headings of AsciiDoc, and has less than two clear blocks, it is no prose, and a single line in it is a command behind a prompt, or longer than they are, because it may be a title between two lines.
 */
export function fencedListings(text: string): string {
  const lines = text.split('\n').map(line => line.trimEnd())
  const isMarked = Array.from(text.matchAll(HEADING)).length >= FEWEST_HEADINGS
  const clear = listingsIn(lines, isMarked)
  // Where some blocks are clear, all others are blocks, too.
  const listings = isMarked || clear.size < FEWEST_CLEAR ? clear : listingsIn(lines, true)
  if (listings.size === 0) return text
  const written: (string | string[])[] = []
  for (let at = 0; at < lines.length; at++) {
    const end = listings.get(at)
    if (end === undefined) {
      written.push(lines[at] as string)
      continue
    }
    const source = SOURCE.exec(lines[at - 1] ?? '')
    if (source !== null) written.pop()
    written.push(fenced(lines.slice(at + 1, end), source?.[1] ?? ''))
    at = end
  }
  return written.flat().join('\n')
}

/** The blocks, by the places of their first and last lines. @param isAsciidoc whether the text is known to be AsciiDoc */
function listingsIn(lines: readonly string[], isAsciidoc: boolean): ReadonlyMap<number, number> {
  const ends = nextEqual(lines)
  const listings = new Map<number, number>()
  let fence: string | null = null
  for (let at = 0; at < lines.length; at++) {
    const [above = '', line = ''] = [lines[at - 1], lines[at]]
    // In a fence it is an example of AsciiDoc, and a second fence would end the first one.
    if (fence !== null) {
      if (closesFence(line, fence)) fence = null
      continue
    }
    fence = openingFence(line)
    const end = ends.get(at)
    if (end === undefined || !ABOVE_BLOCK.test(above)) continue
    if (!isListing(lines.slice(at + 1, end), line, isAsciidoc || MARKS_BLOCK.test(above))) continue
    listings.set(at, end)
    at = end
  }
  return listings
}

/** For each line that can begin a block, the place of the next one that is equal. */
function nextEqual(lines: readonly string[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>()
  const next = new Map<string, number>()
  for (let at = lines.length - 1; at >= 0; at--) {
    const line = lines[at] as string
    if (!DELIMITER.test(line)) continue
    const end = next.get(line)
    if (end !== undefined) ends.set(at, end)
    next.set(line, at)
  }
  return ends
}

function isListing(code: readonly string[], delimiter: string, isMarked: boolean): boolean {
  const [first = '', last = ''] = [code[0], code.at(-1)]
  if (first === '' || last === '') return false
  if (isMarked) return true
  const isNoTitle = code.length > 1 || first.length > delimiter.length || PROMPT.test(first)
  return isNoTitle && !code.some(line => PROSE.test(line))
}

function fenced(code: readonly string[], language: string): string[] {
  const fence = fenceAround(code.join('\n'))
  return [`${fence}${language}`, ...code, fence]
}

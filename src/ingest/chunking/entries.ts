import { columnsOf } from '../../text/columns.ts'
import { endsSentence } from '../../text/sentences/sentences.ts'
import { joinPieces, type Piece } from './pieces.ts'

/** A longer line over a blank line names no entry. In UTF-16 code units. */
const LONGEST_TERM = 100
const TAB_COLUMNS = 8
/** Lines that say what follows them: "Example:", a question, or a directive of reStructuredText. */
const ANNOUNCES = /^\.\. |[:?]$/

interface EntryLimits {
  /** Most tokens in an entry that stays whole. */
  most: number
  /** Most tokens in terms that join the beginning of an entry that is too long. */
  lead: number
}

/**
 * Joins the pieces of each entry, in text that shows by indentation what belongs together: the options of a manual, terms with their
 * meanings, directives with their bodies. An entry has a first line and deeper lines below it. One over a blank line is short, and no sign
 * ends it but that of a question. Of an entry that is too long, only the term joins what follows it, and entries inside are looked for.
 *
 * @param from where the text of the pieces begins, behind a heading that the first one has in front
 */
export function joinEntries(
  pieces: readonly Piece[],
  text: string,
  from: number,
  { most, lead }: EntryLimits,
): Piece[] {
  const places = placesOf(pieces, text, from)
  const joined: Piece[] = []
  let terms: Piece | null = null
  for (let at = 0; at < pieces.length; ) {
    const opensEntry = places[at]?.opens ?? false
    const end = opensEntry ? endOfEntry(pieces, places, at, most) : at + 1
    const parts: Piece[] = pieces.slice(at, end ?? at + 1)
    const piece: Piece = [...(terms === null ? [] : [terms]), ...parts].reduce(joinPieces)
    const marked = opensEntry ? { ...piece, opensBlock: true, opensEntry } : piece
    terms = end === null && marked.tokens <= lead ? marked : null
    if (terms === null) joined.push(marked)
    at = end ?? at + 1
  }
  return joined
}

/** The piece behind the entry that begins at `at`; null when the entry is too long. */
function endOfEntry(pieces: readonly Piece[], places: readonly Place[], at: number, most: number): number | null {
  const columns = places[at]?.columns ?? 0
  let end = at
  for (let tokens = 0; end === at || (places[end]?.columns ?? -1) > columns; end++) {
    tokens += pieces[end]?.tokens ?? 0
    if (tokens > most) return end === at ? at + 1 : null
  }
  return end
}

interface Place {
  /** Columns before its first line; infinite when it begins inside a line. */
  columns: number
  opens: boolean
}

function placesOf(pieces: readonly Piece[], text: string, from: number): Place[] {
  const lines = linesOf(text.slice(from, pieces.at(-1)?.end), from)
  let at = 0
  return pieces.map(({ start, end }) => {
    const begin = Math.max(start, from)
    const slice = text.slice(begin, end)
    const first = begin + slice.length - slice.trimStart().length
    while ((lines[at + 1]?.first ?? Number.POSITIVE_INFINITY) <= first) at += 1
    const line = lines[at]
    if (line?.first !== first) return { columns: Number.POSITIVE_INFINITY, opens: false }
    return { columns: line.columns, opens: opensEntry(line, lines[at + 1]) }
  })
}

interface Line {
  /** Offset of its first sign. */
  first: number
  columns: number
  content: string
  isBelowBlank: boolean
}

/** The lines that are not blank. */
function linesOf(text: string, from: number): Line[] {
  let end = 0
  return Array.from(text.matchAll(/^([^\S\n]*)(\S[^\n]*)/gm), ({ 0: line, 1: space = '', 2: content = '', index }) => {
    const isBelowBlank = text.slice(end, index).split('\n').length > 2
    end = index + line.length
    const columns = columnsOf(space, TAB_COLUMNS)
    return { first: from + index + space.length, columns, content: content.trimEnd(), isBelowBlank }
  })
}

function opensEntry({ columns, content }: Line, next: Line | undefined): boolean {
  if (next === undefined || next.columns <= columns) return false
  const isTerm = content.length <= LONGEST_TERM && (ANNOUNCES.test(content) || !endsSentence(content))
  return isTerm || !next.isBelowBlank
}

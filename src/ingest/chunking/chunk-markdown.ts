import type { Span } from '../../core/types.ts'
import { isCode } from '../../text/code/is-code.ts'
import { withoutBadges } from '../markup/badges.ts'
import { cutCode } from './code-chunks.ts'
import { joinEntries } from './entries.ts'
import { CHUNK_DEFAULTS, type ChunkOptions, type DocumentText } from './options.ts'
import { cutSection, joinPieces, MOST_BEFORE, type Piece } from './pieces.ts'
import { readSections, type Section } from './sections.ts'

/** `text` is `document.text.slice(charStart, charEnd)`; the rows of a table that was cut have the head of the table in front, and parts of a row its first cell. */
export interface DocumentChunk {
  /** Position in the document, from 0. */
  orderIndex: number
  /** "A > B > C"; empty before the first heading. */
  sectionPath: string
  /** The line of the section's heading; empty without one. */
  header: string
  charStart: number
  charEnd: number
  text: string
  /** Sum of the tokens of its pieces: within a few per cent of the count of `text`. */
  tokens: number
  /** Place of its parent among the parents of the document; absent without one. */
  parent?: number
}

/** The pieces of a chunk, before its text is cut out. */
export interface ChunkPieces extends Pick<Section, 'path' | 'header'> {
  pieces: Piece[]
  /** Number of its first pieces that are also the last ones of the chunk before. */
  repeated: number
  /** Least depth of the headings that it begins with, 0 at the start of a text before its first heading; null inside a section. */
  opens: number | null
}

/** A table, list or code block stays whole up to this many targets. */
const ATOMIC_TARGETS = 3
/** Most targets in a chunk, unless one whole block is longer. */
const MOST_TARGETS = 1.4
/** A section below this share of the target joins the subsection that follows it. */
const SMALL_SECTION = 0.2
/** Headings and small sections are joined up to this share of the target. */
const MOST_CARRIED = 0.5
/** A remainder below this share of the target joins the previous chunk. */
const SMALL_REMAINDER = 0.15
/** A single sentence may be repeated up to this share of the target, even when the overlap is smaller. */
const MOST_OVERLAP = 0.25

/**
 * Cuts a markdown or plain document into chunks along its headings, and source code between its functions (`cutCode`).
 *
 * A chunk does not span two sections, with one exception: a heading with less than a fifth of the target below it joins the first
 * chunk of its first subsection, and an empty heading joins the next section; the chunk has the path of the last section with text.
 * The chunks of a section have about equal sizes. They end at sentences, preferably at paragraphs, and repeat the last sentences of
 * the previous chunk, or the head of the table that they continue. In text that is no Markdown, an entry of indented text stays whole up to
 * the size of a chunk, and a chunk that begins with one repeats nothing. Every character that is not white space is in a chunk, except
 * headings that no text follows within half a target, and blocks of marks only at the edge of a chunk. Time is almost linear in the
 * length of the text.
 */
export function chunkMarkdown(document: DocumentText, options: ChunkOptions): DocumentChunk[] {
  return cutChunks(piecesOfChunks(document, options), document.text, options)
}

/** The chunks of a text as `chunkMarkdown` describes them, as pieces in order. */
export function piecesOfChunks(document: DocumentText, options: ChunkOptions): ChunkPieces[] {
  const { text, title = '', isPlain } = document
  const { targetTokens: target = CHUNK_DEFAULTS.targetTokens, overlap = CHUNK_DEFAULTS.overlap, count } = options
  const { mostTargets = MOST_TARGETS, wholeDefinitions = false } = options
  const limits = { target, atomic: ATOMIC_TARGETS * target, wholeDefinitions, count }
  if (document.isCode || isCode(text)) {
    const chunks = cutCode(text, { target, mostTargets, count })
    return chunks.map(({ path, pieces }, at) => {
      const named = path === '' || title === '' ? path : `${title} > ${path}`
      return { path: named, header: '', pieces, repeated: 0, opens: at === 0 ? 0 : null }
    })
  }
  const entryLimits = { most: mostTargets * target, lead: MOST_BEFORE * target }
  const sections = readSections(text, isPlain)
  const chunks: ChunkPieces[] = []
  let carried = null as { piece: Piece; depth: number; withText: Section | null } | null

  for (const [index, section] of sections.entries()) {
    const blocks = section.blocks.filter(block => hasWords(text.slice(block.start, block.end)))
    const cut = cutSection({ ...section, blocks }, text, limits)
    const pieces = isPlain ? joinEntries(cut, text, section.heading?.end ?? cut[0]?.start ?? 0, entryLimits) : cut
    const first = pieces[0]
    if (!first) continue
    const isSmall = blocks.length === 0 || sumTokens(pieces) < SMALL_SECTION * target
    const depth = Math.min(section.depth, carried?.depth ?? section.depth)
    // The last section with text gives the chunk its path: the headings after it have nothing to say about the text.
    const withText = blocks.length > 0 ? section : (carried?.withText ?? null)
    if (carried) pieces[0] = joinPieces(carried.piece, first)
    carried = null

    const next = sections[index + 1]
    const belongsToNext = isSmall && next !== undefined && (withText === null || next.depth > withText.depth)
    if (belongsToNext && sumTokens(pieces) < MOST_CARRIED * target) {
      carried = { piece: pieces.reduce(joinPieces), depth, withText }
      continue
    }
    if (withText === null) continue
    const { path, header } = withText
    groupPieces(pieces, { target, overlap, mostTargets }).forEach((group, at) => {
      chunks.push({ path, header, ...group, opens: at === 0 ? depth : null })
    })
  }
  return chunks
}

/** Cuts the texts of chunks out of their document. Chunks of nothing but white space are left out. */
export function cutChunks(
  chunks: readonly ChunkPieces[],
  text: string,
  { count }: Pick<ChunkOptions, 'count'>,
): DocumentChunk[] {
  const cut: DocumentChunk[] = []
  for (const { path, header, pieces } of chunks) {
    const span = trimSpan(text, pieces)
    if (span.start === span.end) continue
    const head = pieces[0]?.head
    const repeated = head ? `${text.slice(head.start, head.end).trimEnd()}\n` : ''
    cut.push({
      orderIndex: cut.length,
      sectionPath: path,
      header,
      charStart: span.start,
      charEnd: span.end,
      text: repeated + text.slice(span.start, span.end),
      tokens: sumTokens(pieces) + (head ? count(repeated) : 0),
    })
  }
  return cut
}

/** Groups pieces into chunks of about equal size near the target, each with its repeated pieces in front. */
function groupPieces(
  pieces: Piece[],
  { target, overlap, mostTargets }: { target: number; overlap: number; mostTargets: number },
): Pick<ChunkPieces, 'pieces' | 'repeated'>[] {
  const stride = target * (1 - overlap)
  const groups: Pick<ChunkPieces, 'pieces' | 'repeated'>[] = []
  let remaining = sumTokens(pieces)
  let group: Piece[] = []
  let repeated: Piece[] = []
  let size = 0
  let goal = goalFor(remaining, stride)

  for (const piece of pieces) {
    const grown = size + piece.tokens
    const isFull =
      sumTokens(repeated) + grown > mostTargets * target ||
      grown - goal > goal - size ||
      needsOtherHead(piece, group[0]) ||
      (piece.opensBlock && size >= 0.8 * goal)
    if (group.length > 0 && isFull && remaining > SMALL_REMAINDER * target) {
      groups.push({ pieces: [...repeated, ...group], repeated: repeated.length })
      repeated = piece.head || piece.opensEntry ? [] : tailOf(group, target, overlap)
      group = []
      size = 0
      goal = goalFor(remaining, stride)
    }
    group.push(piece)
    size += piece.tokens
    remaining -= piece.tokens
  }
  if (group.length > 0) groups.push({ pieces: [...repeated, ...group], repeated: repeated.length })
  return groups
}

/** Whether a row comes behind a part of another row, with which its chunk begins: its own needs the head of the table. */
function needsOtherHead({ head }: Piece, first: Piece | undefined): boolean {
  return head !== null && first !== undefined && first.head !== null && head.start < first.head.start
}

/** An HTML tag or comment. An address (`<mailto:a@b>`) and a placeholder (`<Name>`) are none: they say something. */
const TAG = /<(?:[!?][^<>]{0,2000}|\/?[a-z][\w-]{0,40}(?:[\s/][^<>]{0,2000})?)>/g
/** A letter, a number, or a symbol such as an emoji. */
const WORD = /[\p{L}\p{N}\p{So}]/u

/** Whether a block says anything: rules, empty tables, HTML without text and badges do not. */
function hasWords(block: string): boolean {
  const isPlain = WORD.test(block) && !/^\s*[<[]/.test(block)
  return isPlain || WORD.test(withoutBadges(block.replace(TAG, '')))
}

function goalFor(tokens: number, stride: number): number {
  return tokens / Math.max(1, Math.round(tokens / stride))
}

/** The last pieces of a group, which the next group repeats: at least one piece is left out. */
function tailOf(group: Piece[], target: number, overlap: number): Piece[] {
  let from = group.length
  let tokens = 0
  for (const piece of group.slice(1).reverse()) {
    const most = tokens === 0 ? Math.max(overlap, MOST_OVERLAP) : overlap * 1.25
    if (tokens >= overlap * target || tokens + piece.tokens > most * target) break
    tokens += piece.tokens
    from -= 1
  }
  return overlap > 0 ? group.slice(from) : []
}

export function sumTokens(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + piece.tokens, 0)
}

/** Drops the white space around the group, but keeps the indentation of the first line: code needs it. */
function trimSpan(text: string, group: readonly Piece[]): Span {
  const start = group[0]?.start ?? 0
  const end = group.at(-1)?.end ?? 0
  const slice = text.slice(start, end)
  const trailing = slice.length - slice.trimEnd().length
  const leading = /^(?:[^\S\n]*\n)*/.exec(slice)?.[0].length ?? 0
  return { start: Math.min(start + leading, end - trailing), end: end - trailing }
}

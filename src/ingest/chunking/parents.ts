import { type ChunkPieces, cutChunks, type DocumentChunk, piecesOfChunks, sumTokens } from './chunk-markdown.ts'
import { type ChunkOptions, type DocumentText, defaultTargetTokens } from './options.ts'

/** A text of several neighbouring chunks, its children. `text` is `document.text.slice(charStart, charEnd)`. */
export interface DocumentParent {
  /** What the section paths of its children have in common. */
  sectionPath: string
  charStart: number
  charEnd: number
  text: string
}

const MOST_PARENT_TOKENS = 2_048
/** A heading of this depth or above it begins a parent. */
const PARENT_DEPTH = 2
/** Most targets in a child, and the share of the target below which a child is joined with its neighbour. */
const MOST_TARGETS = 4 / 3
const SMALL_CHILD = 2 / 3

/**
 * Cuts a markdown or plain document into chunks (children) and the larger texts around them (parents).
 *
 * A parent is a section of depth 1 or 2 with everything below it. One with more than 2,048 tokens is cut at its subsections, else between
 * two chunks; so is a document without headings. Children are cut as in `chunkMarkdown`, but small subsections are joined to
 * chunks between 2/3 and 4/3 of the target, and paragraphs that define terms stay whole. No child spans two parents, parents have no text
 * in common, and a parent begins and ends with its children. A chunk that would be alone in its parent has none.
 */
export function chunkWithParents(
  document: DocumentText,
  { targetTokens = defaultTargetTokens('parent-child'), overlap, count }: ChunkOptions,
): { chunks: DocumentChunk[]; parents: DocumentParent[] } {
  const { text } = document
  const options = { targetTokens, overlap, mostTargets: MOST_TARGETS, wholeDefinitions: true, count }
  const children = joinSmall(piecesOfChunks(document, options), targetTokens)
  const families = sectionsOf(children).flatMap(section => divide(section, text, count))
  const chunks: DocumentChunk[] = []
  const parents: DocumentParent[] = []
  for (const family of families) {
    const own = cutChunks(family.map(withoutRepetition), text, options)
    const [first, last] = [own[0], own.at(-1)]
    if (first === undefined || last === undefined) continue
    const hasParent = own.length > 1
    for (const chunk of own)
      chunks.push({ ...chunk, orderIndex: chunks.length, ...(hasParent && { parent: parents.length }) })
    if (!hasParent) continue
    const { charStart } = first
    const { charEnd } = last
    const sectionPath = own.map(chunk => chunk.sectionPath).reduce(commonPath)
    parents.push({ sectionPath, charStart, charEnd, text: text.slice(charStart, charEnd) })
  }
  return { chunks, parents }
}

/** Joins small neighbours below one heading of depth 2, where one of them is below 2/3 of the target and both together fit into a child. */
function joinSmall(chunks: readonly ChunkPieces[], target: number): ChunkPieces[] {
  const joined: ChunkPieces[] = []
  for (const chunk of chunks) {
    const before = joined.at(-1)
    if (before && isSubsection(chunk) && fitTogether(before, chunk, target)) joined.splice(-1, 1, join(before, chunk))
    else joined.push(chunk)
  }
  return joined
}

function fitTogether(before: ChunkPieces, after: ChunkPieces, target: number): boolean {
  const [first, second] = [sumTokens(before.pieces), sumTokens(after.pieces)]
  return Math.min(first, second) < SMALL_CHILD * target && first + second <= MOST_TARGETS * target
}

function join(before: ChunkPieces, after: ChunkPieces): ChunkPieces {
  const path = commonPath(before.path, after.path)
  const header = path === before.path ? before.header : ''
  return { ...before, path, header, pieces: [...before.pieces, ...after.pieces] }
}

/** Whether a chunk begins with a heading below depth 2. */
function isSubsection({ opens }: ChunkPieces): boolean {
  return opens !== null && opens > PARENT_DEPTH
}

/** The chunks of each section of depth 1 or 2. */
function sectionsOf(chunks: readonly ChunkPieces[]): ChunkPieces[][] {
  const sections: ChunkPieces[][] = []
  for (const chunk of chunks) {
    const current = sections.at(-1)
    if (current === undefined || (chunk.opens !== null && chunk.opens <= PARENT_DEPTH)) sections.push([chunk])
    else current.push(chunk)
  }
  return sections
}

/** Divides chunks until their text fits into a parent: at the highest heading, of equals at the one nearest to the middle. */
function divide(chunks: ChunkPieces[], text: string, count: ChunkOptions['count']): ChunkPieces[][] {
  const start = chunks[0]?.pieces[0]?.start
  const end = chunks.at(-1)?.pieces.at(-1)?.end
  if (chunks.length < 2 || count(text.slice(start, end)) <= MOST_PARENT_TOKENS) return [chunks]
  const total = chunks.reduce((sum, { pieces }) => sum + sumTokens(pieces), 0)
  let best = { at: 1, depth: Number.POSITIVE_INFINITY, distance: Number.POSITIVE_INFINITY }
  let before = 0
  for (const [index, { pieces }] of chunks.slice(0, -1).entries()) {
    before += sumTokens(pieces)
    const at = index + 1
    const depth = chunks[at]?.opens ?? Number.MAX_VALUE
    const distance = Math.abs(before - total / 2)
    if (depth < best.depth || (depth === best.depth && distance < best.distance)) best = { at, depth, distance }
  }
  return [chunks.slice(0, best.at), chunks.slice(best.at)].flatMap(part => divide(part, text, count))
}

/** The first child of a parent repeats nothing, so that parents have no text in common. */
function withoutRepetition(chunk: ChunkPieces, place: number): ChunkPieces {
  return place > 0 ? chunk : { ...chunk, pieces: chunk.pieces.slice(chunk.repeated), repeated: 0 }
}

function commonPath(left: string, right: string): string {
  const [parts, others] = [left, right].map(path => path.split(' > '))
  const differs = parts?.findIndex((part, at) => part !== others?.[at]) ?? 0
  return differs < 0 ? left : (parts?.slice(0, differs).join(' > ') ?? '')
}

import { blockPath, commonBlock, type NamedBlock, namedBlocks } from '../../text/code/block-names.ts'
import { type Statement, statementsOf } from '../../text/code/statements.ts'
import { halve, joinPieces, type Piece, type PieceLimits, pieceOf } from './pieces.ts'

/**
 * What a cut costs, where a chunk costs the square of its distance from the target as a share of it: for each level of indentation, without a blank line, inside a comment, and behind
 * what says nothing alone. The order of the costs is what matters; they were not fitted.
 */
const PER_LEVEL = 0.3
const MOST_LEVELS = 4
const WITHOUT_BLANK = 0.25
const IN_COMMENT = 0.5
const BEHIND_OPENING = 2
/** Neighbours that have less than one of so many parts of the largest chunk together are joined: all chunks of up to twice as many pieces are compared. */
const MOST_PARTS = 256

interface Limits extends Pick<PieceLimits, 'target' | 'count'> {
  mostTargets: number
}

interface CodeChunk {
  /** The blocks that it is in as a whole: "class Store > def open". Empty for none. */
  path: string
  pieces: Piece[]
}

interface PricedPiece {
  piece: Piece
  /** The innermost named block that it is in. */
  block: NamedBlock | null
  /** What a cut before it costs. */
  cost: number
}

/**
 * Cuts source code into chunks between its statements. Of all ways to do so the cheapest one is taken: chunks should have the target size, and a cut should be between functions
 * and not inside of them. Nothing is repeated, because a chunk begins where something begins.
 */
export function cutCode(text: string, { target, mostTargets, count }: Limits): CodeChunk[] {
  const most = mostTargets * target
  const pieces = pricedPieces(text, { target: most, count })
  return cheapestCuts(joinTiny(pieces, most / MOST_PARTS), target, most).map(range => ({
    path: blockPath(range.map(({ block }) => block).reduce(commonBlock)),
    pieces: range.map(({ piece }) => piece),
  }))
}

function pricedPieces(text: string, limits: Pick<PieceLimits, 'target' | 'count'>): PricedPiece[] {
  const statements = statementsOf(text)
  const step = statements.reduce((least, { columns }) => Math.min(least, columns || least), Number.POSITIVE_INFINITY)
  const blocks = namedBlocks(text, statements)
  return statements.flatMap((statement, at) => {
    const block = blocks[at] ?? null
    const cost = costOfCut(statements[at - 1], statement, step)
    const parts = halve(pieceOf(statement, text, limits, true), text, limits)
    return parts.map((piece, part) => ({ piece, block, cost: part === 0 ? cost : BEHIND_OPENING }))
  })
}

/** Joins neighbours that have at most so many tokens together. */
function joinTiny(pieces: readonly PricedPiece[], most: number): PricedPiece[] {
  const joined: PricedPiece[] = []
  for (const { piece, block, cost } of pieces) {
    const before = joined.at(-1)
    if (before && before.piece.tokens + piece.tokens <= most) {
      before.piece = joinPieces(before.piece, piece)
      before.block = commonBlock(before.block, block)
    } else joined.push({ piece, block, cost })
  }
  return joined
}

function costOfCut(before: Statement | undefined, { kind, columns, isBelowBlank }: Statement, step: number): number {
  const isInside = kind !== 'code' && before?.kind === kind
  // A comment over a blank line is the title of what follows more often than the end of what is above it.
  const isBelowTitle = kind === 'code' && before?.kind === 'comment'
  return (
    PER_LEVEL * Math.min(MOST_LEVELS, columns / step) +
    (isBelowBlank && !isBelowTitle ? 0 : WITHOUT_BLANK) +
    (isInside ? IN_COMMENT : 0) +
    (before?.opens ? BEHIND_OPENING : 0)
  )
}

/** The ranges of pieces whose cuts and sizes together cost least. A piece that is larger than `most` is a range of its own. */
function cheapestCuts(pieces: readonly PricedPiece[], target: number, most: number): PricedPiece[][] {
  const sizes = Float64Array.from(pieces, ({ piece }) => piece.tokens)
  // What the pieces before a place cost, with a cut at that place, and where the last of their ranges begins.
  const costs = new Float64Array(pieces.length + 1)
  const begins = new Uint32Array(pieces.length + 1)
  costs[0] = pieces[0]?.cost ?? 0
  for (let to = 1; to <= pieces.length; to++) {
    let cheapest = Number.POSITIVE_INFINITY
    let tokens = 0
    for (let from = to - 1; from >= 0; from--) {
      tokens += sizes[from] as number
      if (tokens > most && from < to - 1) break
      const distance = tokens / target - 1
      const cost = (costs[from] as number) + distance * distance
      if (cost < cheapest) {
        cheapest = cost
        begins[to] = from
      }
    }
    costs[to] = cheapest + (pieces[to]?.cost ?? 0)
  }
  const ranges: PricedPiece[][] = []
  for (let to = pieces.length; to > 0; ) {
    const from = begins[to] as number
    ranges.push(pieces.slice(from, to))
    to = from
  }
  return ranges.reverse()
}

import type { Span } from '../../../core/types.ts'
import type { PartMatch } from '../model-folder.ts'

/** The vectors of the tokens of a text, row by row. */
export interface TokenVectors {
  values: ArrayLike<number>
  /** Numbers in a row. */
  width: number
  rows: number
  /** Factor on each row; null when the values are exact. */
  scales: ArrayLike<number> | null
}

interface MatchedQuery {
  vectors: TokenVectors
  /** Weights of the tokens of a query, which sum to 1. */
  importance: readonly number[]
}

/**
 * How well each part of a passage matches a query, as a logit: `max_similarity` × MaxSim + `cosine` × cosine. MaxSim (Khattab and Zaharia, 2020) is Σ weight(q) ·
 * max over the tokens of the part of cos(q, p), of the numbers that are made to match; the cosine is that of the means of all numbers. The vectors of a part have
 * seen the whole passage, so "it" is what the sentence before names.
 * @param passage the numbers of each token in blocks, which stand in the rows of the query one after the other; the first block is made to match
 * @param parts ranges of rows of the passage; the match of an empty one is 0
 */
export function partMatches(
  query: MatchedQuery,
  passage: readonly [TokenVectors, ...TokenVectors[]],
  parts: readonly Span[],
  { max_similarity, cosine }: Pick<PartMatch, 'max_similarity' | 'cosine'>,
): number[] {
  const [{ width }] = passage
  const asked = unitRows(query.vectors, width)
  const found = unitRows(passage[0], width)
  const meaning = meanOf([query.vectors], { start: 0, end: query.vectors.rows })
  return parts.map(part => {
    if (part.end <= part.start) return 0
    let similarity = 0
    for (let row = 0; row < query.vectors.rows; row++) {
      let best = -1
      for (let other = part.start; other < part.end; other++)
        best = Math.max(best, dot(asked, row * width, found, other * width, width))
      similarity += (query.importance[row] ?? 0) * best
    }
    return max_similarity * similarity + cosine * cosineOf(meaning, meanOf(passage, part))
  })
}

/** The first `width` numbers of each row, as unit vectors. A scale does not change them. */
function unitRows({ values, width: whole, rows }: TokenVectors, width: number): Float32Array {
  const units = new Float32Array(rows * width)
  for (let row = 0; row < rows; row++) {
    let squares = 0
    for (let at = 0; at < width; at++) squares += Number(values[row * whole + at]) ** 2
    const length = Math.sqrt(squares) || 1
    for (let at = 0; at < width; at++) units[row * width + at] = Number(values[row * whole + at]) / length
  }
  return units
}

/** The direction of the mean of some rows. */
function meanOf(blocks: readonly TokenVectors[], { start, end }: Span): Float32Array {
  const sum = new Float32Array(blocks.reduce((numbers, { width }) => numbers + width, 0))
  let first = 0
  for (const { values, width, scales } of blocks) {
    for (let row = start; row < end; row++) {
      const scale = scales === null ? 1 : Number(scales[row])
      for (let at = 0; at < width; at++)
        sum[first + at] = Number(sum[first + at]) + scale * Number(values[row * width + at])
    }
    first += width
  }
  return sum
}

function cosineOf(a: Float32Array, b: Float32Array): number {
  const lengths = Math.sqrt(dot(a, 0, a, 0, a.length) * dot(b, 0, b, 0, b.length))
  return lengths === 0 ? 0 : dot(a, 0, b, 0, a.length) / lengths
}

function dot(a: Float32Array, from: number, b: Float32Array, other: number, width: number): number {
  let sum = 0
  for (let at = 0; at < width; at++) sum += (a[from + at] as number) * (b[other + at] as number)
  return sum
}

/** Rank of each token of an encoding, by its bytes, written one character per byte. */
export type TokenRanks = ReadonlyMap<string, number>

/** Reads ranks as js-tiktoken packs them: lines of a name, the first rank, and the tokens in base64. */
export function readRanks(packed: string): TokenRanks {
  const ranks = new Map<string, number>()
  for (const line of packed.split('\n')) {
    const [, first, ...tokens] = line.split(' ')
    for (const [offset, token] of tokens.entries()) ranks.set(atob(token), Number(first) + offset)
  }
  return ranks
}

/**
 * Tokens of one piece of text under byte pair encoding: the pair of lowest rank is merged until none is known (Sennrich
 * et al. 2016). As the library counts, which does it over arrays and joined strings; time is quadratic in the length.
 */
export function countBytePairs(piece: string, ranks: TokenRanks): number {
  const bytes = Buffer.from(piece, 'utf8').toString('latin1')
  return ranks.has(bytes) ? 1 : mergedLength(bytes, ranks)
}

function mergedLength(bytes: string, ranks: TokenRanks): number {
  // Part i spans [starts[i], starts[i + 1]); pairRanks[i] ranks the merge of parts i and i + 1.
  const starts = Array.from({ length: bytes.length + 1 }, (_, at) => at)
  const rankAt = (part: number): number =>
    ranks.get(bytes.slice(starts[part], starts[part + 2] ?? Number.NaN)) ?? Number.POSITIVE_INFINITY
  const pairRanks = starts.slice(2).map((_, part) => rankAt(part))

  while (pairRanks.length > 0) {
    let best = 0
    for (let part = 1; part < pairRanks.length; part++) {
      if ((pairRanks[part] ?? 0) < (pairRanks[best] ?? 0)) best = part
    }
    if (pairRanks[best] === Number.POSITIVE_INFINITY) break
    starts.splice(best + 1, 1)
    pairRanks.splice(best, 1)
    if (best > 0) pairRanks[best - 1] = rankAt(best - 1)
    if (best < pairRanks.length) pairRanks[best] = rankAt(best)
  }
  return starts.length - 1
}

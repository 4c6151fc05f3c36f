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
 * Tokens of one piece of text under byte pair encoding: of all neighbours that merge into a known token those of lowest rank
 * are merged, the first ones first, until none are left (Sennrich et al. 2016). A queue of pairs keeps the time at n log n.
 */
export function countBytePairs(piece: string, ranks: TokenRanks): number {
  const bytes = Buffer.from(piece, 'utf8').toString('latin1')
  return ranks.has(bytes) ? 1 : mergedLength(bytes, ranks)
}

function mergedLength(bytes: string, ranks: TokenRanks): number {
  const { length } = bytes
  // Parts are named by where they start: where the next one starts, where the one before, the rank of the pair with the next.
  const next = Int32Array.from({ length }, (_, at) => at + 1)
  const previous = Int32Array.from({ length: length + 1 }, (_, at) => at - 1)
  const pairRanks = new Int32Array(length + 1).fill(UNKNOWN)
  const queue: number[] = []

  function rankPair(at: number): void {
    const middle = next[at] ?? length
    const rank = middle < length ? (ranks.get(bytes.slice(at, next[middle])) ?? UNKNOWN) : UNKNOWN
    pairRanks[at] = rank
    if (rank !== UNKNOWN) enqueue(queue, rank * length + at)
  }

  for (let at = 0; at < length; at++) rankPair(at)
  let parts = length
  for (let first = dequeue(queue); first !== undefined; first = dequeue(queue)) {
    const at = first % length
    // A pair that changed since it was queued is queued anew.
    if (pairRanks[at] !== (first - at) / length) continue
    const merged = next[at] ?? length
    const after = next[merged] ?? length
    next[at] = after
    previous[after] = at
    pairRanks[merged] = UNKNOWN
    parts--
    rankPair(at)
    if (at > 0) rankPair(previous[at] ?? 0)
  }
  return parts
}

const UNKNOWN = -1

/** Adds to a binary heap, smallest first. */
function enqueue(heap: number[], value: number): void {
  let at = heap.length
  for (;;) {
    const parent = (at - 1) >> 1
    const above = at > 0 ? heap[parent] : undefined
    if (above === undefined || above <= value) break
    heap[at] = above
    at = parent
  }
  heap[at] = value
}

/** Takes the smallest off a binary heap. */
function dequeue(heap: number[]): number | undefined {
  const [smallest] = heap
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return smallest
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if ((heap[child + 1] ?? Number.POSITIVE_INFINITY) < (heap[child] ?? Number.POSITIVE_INFINITY)) child++
    const below = heap[child]
    if (below === undefined || below >= last) break
    heap[at] = below
    at = child
  }
  heap[at] = last
  return smallest
}

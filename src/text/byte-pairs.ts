import FlatQueue from 'flatqueue'
import type { Steps } from '../core/steps.ts'

/** Rank of each token of an encoding, keyed by its bytes, one character per byte. */
type TokenRanks = ReadonlyMap<string, number>

/** Reads the ranks file of js-tiktoken. A line holds a name, the first rank, and tokens in base64 with ascending ranks. */
export function readRanks(packed: string): TokenRanks {
  const ranks = new Map<string, number>()
  for (const line of packed.split('\n')) {
    const [, first, ...tokens] = line.split(' ')
    for (const [offset, token] of tokens.entries()) ranks.set(atob(token), Number(first) + offset)
  }
  return ranks
}

/**
 * Counts the tokens of a text by byte pair encoding (Sennrich et al. 2016): the adjacent pair of lowest rank is merged, the
 * first of equals, until no pair is a known token. A priority queue of pairs keeps the time at n log n.
 */
export function* countBytePairs(piece: string, ranks: TokenRanks): Steps<number> {
  const bytes = Buffer.from(piece, 'utf8').toString('latin1')
  return ranks.has(bytes) ? 1 : yield* mergedLength(bytes, ranks)
}

function* mergedLength(bytes: string, ranks: TokenRanks): Steps<number> {
  const { length } = bytes
  // A part is identified by its start offset. For each part: start of the next one, of the previous one, and the priority
  // of its pair with the next one.
  const next = new Int32Array(length)
  const previous = new Int32Array(length + 1)
  for (let at = 0; at <= length; at++) {
    next[at] = at + 1
    previous[at] = at - 1
  }
  const priorities = new Float64Array(length + 1).fill(NO_PAIR)
  const queue = new FlatQueue()

  function queuePair(at: number): void {
    const middle = next[at] ?? length
    const rank = middle < length ? ranks.get(bytes.slice(at, next[middle])) : undefined
    const priority = rank === undefined ? NO_PAIR : rank * length + at
    priorities[at] = priority
    if (priority !== NO_PAIR) queue.push(at, priority)
  }

  for (let at = 0; at < length; at++) {
    queuePair(at)
    if (at % PAIRS_PER_STEP === PAIRS_PER_STEP - 1) yield
  }
  let parts = length
  for (let turn = 1; queue.length > 0; turn++) {
    if (turn % PAIRS_PER_STEP === 0) yield
    const priority = queue.peekValue()
    const at = queue.pop() ?? 0
    // The pair has changed since then, and its new form is in the queue.
    if (priorities[at] !== priority) continue
    const merged = next[at] ?? length
    const after = next[merged] ?? length
    next[at] = after
    previous[after] = at
    priorities[merged] = NO_PAIR
    parts--
    queuePair(at)
    if (at > 0) queuePair(previous[at] ?? 0)
  }
  return parts
}

const NO_PAIR = -1
const PAIRS_PER_STEP = 1_000

import { groupBy } from '../../core/collections.ts'
import { repeatedLength } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'

/** Least text that two chunks share at their border, in UTF-16 code units. Shorter equal texts are often chance. */
const LEAST_SHARED = 20
/** No more of the end of a chunk is compared, in UTF-16 code units: splitters share less. */
const LONGEST_TAIL = 2_000
const LETTERS = /\p{L}{2}/u
/** Lengths of the starts by which texts are found, in UTF-16 code units: longer ones where many texts have one start, such as a heading that each page repeats. */
const START_LENGTHS = [LEAST_SHARED, 80, 320]
const MOST_WITH_ONE_START = 8

/**
 * Puts texts in a row where the end of one is the start of the next: chunks of one document whose splitter repeats some text. Of several texts
 * that can follow, the one that shares most does, the first of equals; of several that can stand before, likewise.
 *
 * @returns chains of places in `texts`, each text in one chain, in the order of the first text of each chain
 */
export function* chainsOf(texts: readonly string[]): Steps<number[][]> {
  const next = new Map<number, number>()
  const before = new Map<number, number>()
  const pairs: { left: number; right: number; shared: number }[] = []
  for (const [left, right] of yield* likelyPairs(texts)) {
    const [one = '', other = ''] = [texts[left], texts[right]]
    const shared = one === other ? 0 : repeatedLength(one, other)
    if (shared >= LEAST_SHARED && shared < Math.min(one.length, other.length)) pairs.push({ left, right, shared })
    yield
  }
  for (const { left, right } of pairs.sort((a, b) => b.shared - a.shared || a.left - b.left || a.right - b.right)) {
    if (next.has(left) || before.has(right)) continue
    next.set(left, right)
    before.set(right, left)
  }
  return chainsFrom(texts.length, next, before)
}

/** Pairs of places of texts whose second one begins with words that stand near the end of the first one. */
function* likelyPairs(texts: readonly string[]): Steps<[number, number][]> {
  const levels = startsOf(texts)
  const pairs: [number, number][] = []
  for (const [left, text] of texts.entries()) {
    const tail = text.slice(-LONGEST_TAIL)
    const found = new Set<number>()
    for (let at = 0; at <= tail.length - LEAST_SHARED; at++) {
      if (!isInWord(tail, at)) for (const right of beginningAt(tail, at, levels)) if (right !== left) found.add(right)
    }
    for (const right of found) pairs.push([left, right])
    yield
  }
  return pairs
}

/** Places of texts by their start, for each length of a start. */
type StartLevel = ReadonlyMap<string, readonly number[]>

function startsOf(texts: readonly string[]): StartLevel[] {
  let alike = [...texts.keys()].filter(place => LETTERS.test(texts[place]?.slice(0, LEAST_SHARED) ?? ''))
  return START_LENGTHS.map(length => {
    const long = alike.filter(place => (texts[place]?.length ?? 0) >= length)
    const byStart = groupBy(long, place => texts[place]?.slice(0, length) ?? '')
    alike = [...byStart.values()].filter(isTooMany).flat()
    return byStart
  })
}

const isTooMany = ({ length }: readonly number[]): boolean => length > MOST_WITH_ONE_START

/** Places of the texts whose start stands at a place of another text; none of too many that are alike. */
function beginningAt(text: string, at: number, levels: readonly StartLevel[]): readonly number[] {
  for (const [level, length] of START_LENGTHS.entries()) {
    const places = levels[level]?.get(text.slice(at, at + length)) ?? []
    if (!isTooMany(places)) return places
  }
  return []
}

/** Whether a word goes on at a place. Scripts without spaces have no such places. Called for each character, so it compares numbers. */
function isInWord(text: string, at: number): boolean {
  return at > 0 && isOfWord(text.charCodeAt(at)) && isOfWord(text.charCodeAt(at - 1))
}

/** Digits and letters of ASCII, and what Unicode has from À to the last script before Thai, which are letters with few exceptions. */
function isOfWord(unit: number): boolean {
  if (unit < 0x80) return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122)
  return unit >= 0xc0 && unit < 0x0e00
}

/** Chains along `next`. Texts in a circle follow no one. */
function chainsFrom(count: number, next: ReadonlyMap<number, number>, before: ReadonlyMap<number, number>): number[][] {
  const chainOf = (first: number): number[] => {
    const chain: number[] = []
    for (let place: number | undefined = first; place !== undefined; place = next.get(place)) chain.push(place)
    return chain
  }
  const places = Array.from({ length: count }, (_, place) => place)
  const chains = places.filter(place => !before.has(place)).map(chainOf)
  const inChains = new Set(chains.flat())
  const circles = places.filter(place => !inChains.has(place)).map(place => [place])
  return [...chains, ...circles].sort((a, b) => Math.min(...a) - Math.min(...b))
}

import { countOf, groupBy } from '../../core/collections.ts'
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
 * that can follow, the one that shares most does; of several that can stand before, likewise. Of equals none does.
 *
 * @returns chains of places in `texts`, each text in one chain, in the order of the first text of each chain
 */
export function* chainsOf(texts: readonly string[]): Steps<number[][]> {
  const next = new Map<number, number>()
  const before = new Map<number, number>()
  const pairs = withoutRepeated(yield* pairsOf(texts))
  for (const { left, right } of pairs.sort((a, b) => b.shared - a.shared || a.left - b.left || a.right - b.right)) {
    if (next.has(left) || before.has(right)) continue
    next.set(left, right)
    before.set(right, left)
  }
  return chainsFrom(texts.length, next, before)
}

/** Places of two texts whose second one begins with the end of the first one, and the length of what they share. */
interface Pair {
  left: number
  right: number
  shared: number
}

function* pairsOf(texts: readonly string[]): Steps<Pair[]> {
  const levels = startsOf(texts)
  const pairs: Pair[] = []
  for (const [left, text] of texts.entries()) {
    const tail = text.slice(-LONGEST_TAIL)
    const found = new Set([left])
    // The first place where a text begins is that of the longest end that they share.
    for (let at = tail.length === text.length ? 1 : 0; at <= tail.length - LEAST_SHARED; at++) {
      if (isInWord(tail, at)) continue
      for (const right of beginningAt(tail, at, levels)) {
        if (found.has(right) || !goesOnBehind(texts[right] ?? '', tail, at)) continue
        found.add(right)
        pairs.push({ left, right, shared: tail.length - at })
      }
    }
    yield
  }
  return pairs
}

/**
 * Pairs without those that share what begins or ends a third text as well: a line that the document repeats, such as one of a log, is no overlap.
 */
function withoutRepeated(pairs: readonly Pair[]): Pair[] {
  const lefts = countOf(pairs.map(({ left, shared }) => `${left} ${shared}`))
  const rights = countOf(pairs.map(({ right, shared }) => `${right} ${shared}`))
  return pairs.filter(
    ({ left, right, shared }) => lefts.get(`${left} ${shared}`) === 1 && rights.get(`${right} ${shared}`) === 1,
  )
}

/** Whether a text begins with the end of another one, from a place on, and does not end there. */
function goesOnBehind(text: string, tail: string, at: number): boolean {
  return text.length > tail.length - at && text.startsWith(tail.slice(at))
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

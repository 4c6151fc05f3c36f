import { addTo, groupBy } from '../../core/collections.ts'
import { shingles } from '../../text/shingles.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import { comparableQuestion, comparableText } from '../metrics/reference-words.ts'
import type { PlacedQuery } from './finding.ts'

/** Two queries that ask the same, the later one first. */
interface SameQuestion {
  later: PlacedQuery
  earlier: PlacedQuery
  /** Share of the shorter question's runs of five words that the other has too; 1 for equal questions. */
  share: number
}

/** Questions that share this much of their runs of words are nearly the same. */
const SIMILAR_SHARE = 0.8

/** Pairs of queries with the same words; each query with the first of its kind. */
export function equalQuestions(queries: readonly PlacedQuery[]): SameQuestion[] {
  const groups = groupBy(queries, ({ query }) => comparableQuestion(query.query))
  return [...groups.values()].flatMap(([earlier, ...others]) =>
    earlier ? others.map(later => ({ later, earlier, share: 1 })) : [],
  )
}

/**
 * Pairs of queries with nearly the same words: at least 80 % of the runs of five words of the shorter one are in the other. Questions of
 * fewer than six words are compared as a whole. Pairs with the same words are left out, and pairs without a gold passage in common: the same
words about another thing are another question.
 */
export function similarQuestions(queries: readonly PlacedQuery[]): SameQuestion[] {
  const asked = queries.map(placed => {
    const text = comparableQuestion(placed.query.query)
    return { placed, text, runs: runsOf(text), golds: goldsOf(placed) }
  })
  const byRun = placesBy(asked.map(({ runs }) => runs))
  const byGold = placesBy(asked.map(({ golds: { keys } }) => keys))
  const found = new Map<string, SameQuestion>()
  for (const [at, { runs: own, text, golds }] of asked.entries()) {
    // Questions of one form, such as "What is the price of …?", have most runs in common, and hardly any gold passage.
    const near = new Set([...golds.keys].flatMap(key => byGold.get(key) ?? []))
    if (near.size < 2) continue
    // A similar question has at least one of any so many runs, so the rarest ones lead to all pairs.
    const needed = own.size - Math.ceil(SIMILAR_SHARE * own.size) + 1
    const rarest = [...own].sort((left, right) => (byRun.get(left)?.length ?? 0) - (byRun.get(right)?.length ?? 0))
    for (const place of new Set(rarest.slice(0, needed).flatMap(run => byRun.get(run) ?? []))) {
      const other = asked[place]
      if (place === at || !near.has(place) || !other || other.runs.size < own.size || other.text === text) continue
      const share = [...own].filter(run => other.runs.has(run)).length / own.size
      const [earlier, later] = [asked[Math.min(at, place)], asked[Math.max(at, place)]]
      if (share < SIMILAR_SHARE || !earlier || !later || !shareGold(golds, other.golds)) continue
      found.set(`${Math.min(at, place)} ${Math.max(at, place)}`, {
        later: later.placed,
        earlier: earlier.placed,
        share,
      })
    }
  }
  return [...found.values()]
}

interface Golds {
  words: ReadonlySet<string>
  places: readonly DocumentSpan[]
  /** Two queries without a key in common have no gold passage in common. */
  keys: ReadonlySet<string>
}

function goldsOf({ query: { goldPassages } }: PlacedQuery): Golds {
  const words = new Set(goldPassages.map(({ text }) => comparableText(text)))
  const places = goldPassages.flatMap(({ place }) => place ?? [])
  return { words, places, keys: new Set([...words, ...places.map(({ docId }) => `document: ${docId}`)]) }
}

/** Whether two queries have a gold passage in common: at one place, or with the same words. */
function shareGold(one: Golds, other: Golds): boolean {
  return (
    [...other.words].some(words => one.words.has(words)) ||
    other.places.some(place => one.places.some(gold => overlap(place, gold)))
  )
}

/** The places of the sets that hold each key. */
function placesBy(sets: readonly ReadonlySet<string>[]): Map<string, number[]> {
  const places = new Map<string, number[]>()
  for (const [place, set] of sets.entries()) for (const key of set) addTo(places, key, place)
  return places
}

function overlap(one: DocumentSpan, other: DocumentSpan): boolean {
  return one.docId === other.docId && one.start < other.end && other.start < one.end
}

function runsOf(text: string): Set<string> {
  const words = text.split(' ')
  return new Set(shingles(words.length, (start, end) => words.slice(start, end).join(' ')))
}

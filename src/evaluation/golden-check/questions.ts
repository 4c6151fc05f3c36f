import { groupBy } from '../../core/collections.ts'
import { shingles } from '../../text/shingles.ts'
import type { DocumentSpan } from '../golden-set/evidence.ts'
import { comparableQuestion, comparableText } from '../metrics/reference-words.ts'
import type { PlacedQuery } from './finding.ts'

/** Two queries that ask the same, the later one first. */
export interface SameQuestion {
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
  const asked = queries.map(placed => ({ placed, text: comparableQuestion(placed.query.query) }))
  const runs = asked.map(({ text }) => runsOf(text))
  const holders = new Map<string, number[]>()
  for (const [at, own] of runs.entries())
    for (const run of own) {
      const known = holders.get(run)
      if (known) known.push(at)
      else holders.set(run, [at])
    }
  const found = new Map<string, SameQuestion>()
  for (const [at, own] of runs.entries()) {
    // A similar question has at least one of any so many runs, so the rarest ones lead to all pairs.
    const needed = own.size - Math.ceil(SIMILAR_SHARE * own.size) + 1
    const rarest = [...own].sort((left, right) => (holders.get(left)?.length ?? 0) - (holders.get(right)?.length ?? 0))
    const others = new Set(rarest.slice(0, needed).flatMap(run => holders.get(run) ?? []))
    for (const other of others) {
      const theirs = runs[other] ?? new Set()
      if (other === at || theirs.size < own.size || asked[other]?.text === asked[at]?.text) continue
      const shared = [...own].filter(run => theirs.has(run)).length / own.size
      const [earlier, later] = [asked[Math.min(at, other)], asked[Math.max(at, other)]]
      if (shared < SIMILAR_SHARE || !earlier || !later || !shareGold(earlier.placed, later.placed)) continue
      found.set(`${Math.min(at, other)} ${Math.max(at, other)}`, {
        later: later.placed,
        earlier: earlier.placed,
        share: shared,
      })
    }
  }
  return [...found.values()]
}

/** Whether two queries have a gold passage in common: at one place, or with the same words. */
function shareGold({ query: one }: PlacedQuery, { query: other }: PlacedQuery): boolean {
  const words = new Set(one.goldPassages.map(({ text }) => comparableText(text)))
  return other.goldPassages.some(
    ({ text, place }) =>
      words.has(comparableText(text)) ||
      one.goldPassages.some(gold => place && gold.place && overlap(place, gold.place)),
  )
}

function overlap(one: DocumentSpan, other: DocumentSpan): boolean {
  return one.docId === other.docId && one.start < other.end && other.start < one.end
}

function runsOf(text: string): Set<string> {
  const words = text.split(' ')
  return new Set(shingles(words.length, (start, end) => words.slice(start, end).join(' ')))
}

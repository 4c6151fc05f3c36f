import { groupBy } from '../../core/collections.ts'
import { terms } from '../../text/terms/terms.ts'
import type { ExaminedSet } from '../golden-set/golden-set.ts'
import { GoldFinder } from '../metrics/common-runs.ts'
import { FOUND_SHARE } from '../metrics/found.ts'
import { comparableText, wordsOf } from '../metrics/reference-words.ts'
import { type Finding, finding, type PlacedQuery, placedQueries } from './finding.ts'

export interface GoldLimits {
  /** Tokens of the largest budget. */
  largestBudget: number
  countTokens(text: string): number
}

/** An answer whose terms are in the gold passages to a smaller share is doubtful. Answers in words of their own have more. */
const ANSWERED_SHARE = 1 / 4
const NUMBER = /^\d+$/
/** Words of an answer that stand in no passage. */
const VERDICTS = new Set(['yes', 'no', 'true', 'false', 'none'])

/** What is wrong with the gold passages of each query. */
export function checkGolds(examined: ExaminedSet, limits: GoldLimits): Finding[] {
  const queries = placedQueries(examined)
  return [
    ...queries.flatMap((query, at) => [
      ...emptyGolds(query),
      ...longGolds(query, limits),
      ...overlappingGolds(query),
      ...changedGolds(query, examined, at),
      ...spansWithoutText(query, examined, at),
      ...unansweredBy(query, examined, at),
    ]),
    ...unsureSpans(examined),
    ...judgedEmptyDocuments(examined),
    ...missingTexts(queries, examined),
  ]
}

function emptyGolds(placed: PlacedQuery): Finding[] {
  return placed.query.goldPassages.flatMap((gold, at) =>
    wordsOf(gold.text).length > 0
      ? []
      : [finding(placed, 'gold_without_words', `gold.${at} has no words: ${quoted(gold.text)}`)],
  )
}

function longGolds(placed: PlacedQuery, { largestBudget, countTokens }: GoldLimits): Finding[] {
  return placed.query.goldPassages.flatMap((gold, at) => {
    // A token has at least one UTF-16 unit.
    const tokens = gold.text.length <= largestBudget ? 0 : countTokens(gold.text)
    const needed = Math.ceil(tokens * FOUND_SHARE)
    return needed <= largestBudget
      ? []
      : [finding(placed, 'gold_too_long', `gold.${at} has ${tokens} tokens; the largest budget is ${largestBudget}`)]
  })
}

/** Passages of one document whose ranges overlap, and passages with the same words. */
function overlappingGolds(placed: PlacedQuery): Finding[] {
  const golds = placed.query.goldPassages.map((gold, at) => ({ gold, at }))
  const found = new Map<string, Finding>()
  const report = (one: number, other: number, how: string) => {
    const key = `${Math.min(one, other)} ${Math.max(one, other)}`
    if (!found.has(key)) found.set(key, finding(placed, 'gold_overlap', `gold.${one} ${how} gold.${other}`))
  }
  for (const [, ofDocument] of groupBy(golds, ({ gold }) => gold.place?.docId)) {
    const ranges = ofDocument.flatMap(({ gold: { place }, at }) => (place ? [{ ...place, at }] : []))
    ranges.sort((left, right) => left.start - right.start || right.end - left.end)
    let widest = ranges[0]
    for (const range of ranges.slice(1)) {
      if (widest && range.start < widest.end)
        report(range.at, widest.at, range.end <= widest.end ? 'is inside' : 'overlaps')
      if (!widest || range.end > widest.end) widest = range
    }
  }
  for (const [words, equal] of groupBy(golds, ({ gold }) => comparableText(gold.text))) {
    const [first, ...others] = equal
    if (words !== '' && first) for (const { at } of others) report(at, first.at, 'repeats')
  }
  return [...found.values()]
}

/** Passages that are not what was marked. Those that have little in common with it count as missing already. */
function changedGolds(placed: PlacedQuery, { rows }: ExaminedSet, at: number): Finding[] {
  const golds = rows[at]?.row.gold ?? []
  // With a missing gold, rows and passages no longer stand side by side.
  if (golds.length !== placed.query.goldPassages.length) return []
  return golds.flatMap(({ text }, index) => {
    const now = placed.query.goldPassages[index]
    if (text === undefined || now === undefined || now.kind === 'text') return []
    return comparableText(text) === comparableText(now.text)
      ? []
      : [finding(placed, 'gold_changed', `gold.${index}: marked ${quoted(text)}, now ${quoted(now.text)}`)]
  })
}

/** Spans in a collection, whose documents may have been read in another way than when they were marked. */
function spansWithoutText(placed: PlacedQuery, { set, rows }: ExaminedSet, at: number): Finding[] {
  if (set.collection === undefined) return []
  return (rows[at]?.row.gold ?? []).flatMap(({ start, text }, index) =>
    start === undefined || text !== undefined
      ? []
      : [finding(placed, 'span_without_text', `gold.${index}: nothing says what stood at ${start} when it was marked`)],
  )
}

function judgedEmptyDocuments({ set }: ExaminedSet): Finding[] {
  return (set.emptyGolds ?? []).map(({ place, docId }) =>
    finding({ set: set.name, place }, 'gold_empty', `corpus-id: ${JSON.stringify(docId)} has no text; it is left out`),
  )
}

function unsureSpans({ set }: ExaminedSet): Finding[] {
  return (set.unsureSpans ?? []).map(({ place, gold }) =>
    finding(
      { set: set.name, place },
      'span_without_text',
      `gold.${gold}: its file has CRLF or a byte order mark, and offsets count a line end as one and no mark`,
    ),
  )
}

/** Answers whose terms, without those of the question, are hardly in the passages and their headings. */
function unansweredBy(placed: PlacedQuery, { rows }: ExaminedSet, at: number): Finding[] {
  const { answer, goldPassages, query } = placed.query
  if (answer === null || goldPassages.length === 0) return []
  const headings = (rows[at]?.row.gold ?? []).map(
    ({ doc_id: docId = '', section_path: path = '' }) => `${docId} ${path}`,
  )
  const held = goldPassages.flatMap(({ text }) => terms(text))
  const known = new Set([...held, ...headings.flatMap(heading => terms(heading))])
  const asked = new Set(terms(query))
  // A passage without digits may write its numbers as words.
  const hasNumbers = held.some(term => NUMBER.test(term))
  const isWanted = (term: string) => !asked.has(term) && !VERDICTS.has(term) && (hasNumbers || !NUMBER.test(term))
  const wanted = [...new Set(terms(answer))].filter(isWanted)
  const missing = wanted.filter(term => !known.has(term))
  if (wanted.length === 0 || wanted.length - missing.length >= wanted.length * ANSWERED_SHARE) return []
  const sample = missing.slice(0, 5).join(', ')
  return [
    finding(
      placed,
      'answer_not_in_gold',
      `${missing.length} of ${wanted.length} terms of ${quoted(answer)}: ${sample}`,
    ),
  ]
}

/** Passages given by text alone that stand in no document of the set. The documents of a live collection are not searched. */
function missingTexts(queries: readonly PlacedQuery[], { set: { documents } }: ExaminedSet): Finding[] {
  const texts = queries.flatMap(placed =>
    placed.query.goldPassages.flatMap((gold, at) => (gold.kind === 'text' ? [{ placed, at, text: gold.text }] : [])),
  )
  if (texts.length === 0 || documents.length === 0) return []
  const sought = new Map(texts.map(one => [one, wordsOf(one.text)]))
  for (const [one, words] of sought) if (words.length === 0) sought.delete(one)
  for (const { text } of documents) {
    const known = new Set(wordsOf(text))
    // Most documents lack most words of most passages, which is much faster to see than that they lack their runs.
    const likely = [...sought].filter(([, words]) => hasMost(words, known)).map(([one]) => one)
    const { golds } = new GoldFinder(likely.map(one => one.text)).in(likely.length === 0 ? '' : text)
    for (const [at, common] of golds.entries()) {
      const one = likely[at]
      if (one && common.found >= common.total * FOUND_SHARE) sought.delete(one)
    }
  }
  return Array.from(sought.keys(), ({ placed, at, text }) =>
    finding(placed, 'gold_missing', `gold.${at}: no document holds ${quoted(text)}`),
  )
}

/** Whether so many of the words are known that a passage of them can be found. */
function hasMost(words: readonly string[], known: ReadonlySet<string>): boolean {
  let left = words.length * (1 - FOUND_SHARE) + 1e-9
  for (const word of words) if (!known.has(word) && --left < 0) return false
  return true
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return JSON.stringify(line.length > 60 ? `${line.slice(0, 57)}...` : line)
}

import type { Candidate, Chunk, Intent } from '../core/types.ts'
import { rawWords } from '../text/terms.ts'
import { byValue } from './order.ts'

interface Feature {
  name: string
  matches: (chunk: Chunk, query: string) => boolean
}

/** A heading that is the whole query: the section was written to answer it. */
const HEADING_IS_QUERY: Feature = {
  name: 'heading asks it',
  matches: ({ header }, query) => {
    const words = rawWords(query)
    return words.length > 1 && rawWords(header).join(' ') === words.join(' ')
  },
}
const NUMBER_WITH_UNIT = textFeature(
  'number with unit',
  /\d(?:[\d,.]*\d)?\s?(?:%|percent|°|[kmgt]?b\b|ms\b|s\b|sec|min|hours?\b|days?\b|weeks?\b|months?\b|years?\b|[kmc]?m\b|km|miles?\b|feet\b|[km]?g\b|kg|tons?\b|litres?\b|liters?\b|bar\b|watts?\b|volts?\b|\$|€|£|usd\b|eur\b|coins?\b)|[$€£]\s?\d/iu,
)
const DATE = textFeature(
  'date',
  /\b\d{4}-\d{2}-\d{2}\b|\b(?:1[0-9]|20)\d{2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d/iu,
)
const TABLE = textFeature('table', /^\s*\|.*\d.*\|/mu)
const STEPS = textFeature('numbered steps', /^\s*(?:\d+[.)]|step \d+)/imu)
const IMPERATIVE = textFeature(
  'imperative sentence',
  /(?:^|[.:]\s+|^\s*[-*\d.)]+\s+)(?:open|close|set|turn|press|click|run|add|remove|install|use|check|select|enter|create|start|stop|make sure|ensure|wait|send|call|pull|push|lift|drain|replace)\b/imu,
)
const COMPARATIVE = textFeature(
  'comparative sentence',
  /\b(?:than|whereas|while|unlike|compared|instead of|in contrast|however|both)\b/iu,
)
const EXACT_IDENTIFIER: Feature = {
  name: 'exact identifier',
  matches: ({ text }, query) => identifiers(query).some(identifier => text.includes(identifier)),
}
/** A sentence that begins with a subject from the query, followed by "is a", "was the", "means" or similar words. */
const DEFINITION: Feature = {
  name: 'definitional sentence',
  matches: ({ text }, query) => {
    const words = new Set(subjects(query))
    return [...text.matchAll(DEFINITIONAL)].some(([, subject, other]) =>
      rawWords(subject ?? other ?? '').some(word => words.has(word)),
    )
  },
}
const DEFINITIONAL =
  /(?:^|[.?!:]["”']?\s+|\n)[*_>\s]*((?:(?:the|an?)\s+)?[\p{L}\p{N}][\p{L}\p{N}'’ -]{0,60}?)[*_]*,?\s+(?:is|are|was|were)\s+(?:an?|the|one of|neither|not)\b|(?:^|\n)[*_>\s]*([\p{L}\p{N}][\p{L}\p{N}'’ -]{0,60}?)[*_]*\s+(?:means|denotes|refers to|stands for)\b/giu

/** Features that answers to each intent often have. */
const FEATURES: Record<Intent, readonly Feature[]> = {
  definition: [DEFINITION],
  measurement: [NUMBER_WITH_UNIT, DATE, TABLE],
  procedure: [STEPS, IMPERATIVE],
  identifier: [EXACT_IDENTIFIER],
  comparison: [COMPARATIVE, TABLE],
  exploratory: [],
}

/** Words of a question that cannot be the subject of a definition. */
const QUESTION_WORDS = new Set(
  'who what is are was were the a an define definition meaning of mean means does do stand stands for explain'.split(
    ' ',
  ),
)

/**
 * Adds a bonus to candidates with features of an answer, and sorts by value. One feature adds half of `bonus`, two add all of it,
 * three or more add 1.5 times. A heading that is the query counts as two features.
 * @param query null when unknown; then there is no bonus
 * @param bonus on the scale of values in [0,1]; 0 is off
 */
export function addAnswerability(
  candidates: readonly Candidate[],
  query: string | null,
  intent: Intent | null,
  bonus: number,
): Candidate[] {
  if (query === null || intent === null || bonus === 0) return [...candidates]
  return candidates
    .map(candidate => {
      const found = [HEADING_IS_QUERY, ...FEATURES[intent]].filter(({ matches }) => matches(candidate.chunk, query))
      const count = found.length + (found.includes(HEADING_IS_QUERY) ? 1 : 0)
      const gain = (bonus * Math.min(count, 3)) / 2
      const features = found.map(({ name }) => name)
      return { ...candidate, answerability: { bonus: gain, features }, value: candidate.value + gain }
    })
    .sort(byValue)
}

function textFeature(name: string, pattern: RegExp): Feature {
  return { name, matches: ({ text }) => pattern.test(text) }
}

function subjects(query: string): string[] {
  return rawWords(query).filter(word => word.length > 2 && !QUESTION_WORDS.has(word))
}

/** Words with digits, words in capitals, and quoted texts. */
function identifiers(query: string): string[] {
  return query.match(/[A-Za-z]*[-_.]?\d[\w.-]*\w|\b[A-Z]{2,}[\w-]*\b|(?<=["“`])[^"”`]+(?=["”`])/gu) ?? []
}

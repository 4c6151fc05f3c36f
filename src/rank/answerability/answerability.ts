import { wordSet } from '../../core/collections.ts'
import { LONGEST_READ_QUESTION, prefixOf } from '../../core/prefix.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate, Chunk, Intent } from '../../core/types.ts'
import { rawWords } from '../../text/terms/terms.ts'
import { byValue } from '../order.ts'
import { documentName } from '../searched-text.ts'
import { isLinkList } from './link-list.ts'
import { namedEntries, type PlacedText } from './named-entries.ts'

/** What a feature looks at: a chunk, or the start of a long one. */
type Passage = Pick<Chunk, 'header' | 'text'>

interface Feature {
  name: string
  /** Reads the query once, for all passages. */
  for: (query: string) => (passage: Passage) => boolean
}

/**
 * Longest start of a text that is searched for features, in UTF-16 code units: ten times a usual passage. Patterns cannot pause, so
 * this bounds the time of one step. The patterns take linear time: no two repetitions in them can match the same run of characters.
 */
const LONGEST_SEARCHED = 32_768

/** A heading that is the whole query: the section was written to answer it. */
const HEADING_IS_QUERY: Feature = {
  name: 'heading asks it',
  for: query => {
    const words = rawWords(query)
    const asked = words.join(' ')
    return ({ header }) => words.length > 1 && rawWords(header).join(' ') === asked
  },
}
const NUMBER_WITH_UNIT = textFeature(
  'number with unit',
  /\d\s?(?:%|percent|°|[kmgt]?b\b|ms\b|s\b|sec|min|hours?\b|days?\b|weeks?\b|months?\b|years?\b|[kmc]?m\b|km|miles?\b|feet\b|[km]?g\b|kg|tons?\b|litres?\b|liters?\b|bar\b|watts?\b|volts?\b|\$|€|£|usd\b|eur\b|coins?\b)|[$€£]\s?\d/iu,
)
const DATE = textFeature(
  'date',
  /\b\d{4}-\d{2}-\d{2}\b|\b(?:1[0-9]|20)\d{2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d/iu,
)
// In the next patterns, `[^\S\r\n\u2028\u2029]` is white space within a line.
const TABLE = textFeature('table', /^[^\S\r\n\u2028\u2029]*\|[^\d\r\n\u2028\u2029]*\d.*\|/mu)
const STEPS = textFeature('numbered steps', /^[^\S\r\n\u2028\u2029]*(?:\d+[.)]|step \d)/imu)
const IMPERATIVE = textFeature(
  'imperative sentence',
  /(?:^|[.:]\s+|^[^\S\r\n\u2028\u2029]*[-*\d.)]+\s+)(?:open|close|set|turn|press|click|run|add|remove|install|use|check|select|enter|create|start|stop|make sure|ensure|wait|send|call|pull|push|lift|drain|replace)\b/imu,
)
const COMPARATIVE = textFeature(
  'comparative sentence',
  /\b(?:than|whereas|while|unlike|compared|instead of|in contrast|however|both)\b/iu,
)
const EXACT_IDENTIFIER: Feature = {
  name: 'exact identifier',
  for: query => {
    const wanted = [...new Set(identifiers(prefixOf(query, LONGEST_READ_QUESTION)))]
    return ({ text }) => wanted.some(identifier => text.includes(identifier))
  },
}
/** A sentence that begins with a subject from the query, followed by "is a", "was the", "means" or similar words. */
const DEFINITION: Feature = {
  name: 'definitional sentence',
  for: query => {
    const words = new Set(subjects(query))
    return ({ text }) =>
      [...text.matchAll(DEFINITIONAL)].some(([, subject, other]) =>
        rawWords(subject ?? other ?? '').some(word => words.has(word)),
      )
  },
}
const DEFINITIONAL =
  /(?:(?:^|[.?!:]["”']?\s)[*_>\s]*|\n(?:[*_>]|[^\S\n])*)((?:(?:the|an?)\s{1,20})?[\p{L}\p{N}][\p{L}\p{N}'’ -]{0,60}?)[*_]{0,5},?\s{1,20}(?:is|are|was|were)\s{1,20}(?:an?|the|one of|neither|not)\b|(?:^[*_>\s]*|\n(?:[*_>]|[^\S\n])*)([\p{L}\p{N}][\p{L}\p{N}'’ -]{0,60}?)[*_]{0,5}\s{1,20}(?:means|denotes|refers to|stands for)\b/giu

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
const QUESTION_WORDS = wordSet(
  'who what is are was were the a an define definition meaning of mean means does do stand stands for explain',
)

/** Features that count twice: they say where the answer stands, and not only how it looks. */
const ENTRY = 'entry that it names'
/** A passage that is nothing but links has no answer, however well the names in it match. It has no other feature. */
const LINKS = 'links alone'
const COUNTS_TWICE: readonly string[] = [HEADING_IS_QUERY.name, ENTRY]

/** Whether a candidate has an entry for a name in the question, as `addAnswerability` found. */
export const hasNamedEntry = ({ answerability: { features } }: Candidate): boolean => features.includes(ENTRY)

/**
 * Adds a bonus to candidates with features of an answer, and sorts by value. One feature adds half of `bonus`, two add all of it,
 * three or more add 1.5 times. A heading that is the query counts as two features, and so does an entry for a name in the query (`namedEntries`).
 * A passage of links alone loses `bonus`, at most all of its value (`isLinkList`).
 * @param query null when unknown; then there is no bonus
 * @param bonus on the scale of values in [0,1]; 0 is off
 */
export function* addAnswerability(
  candidates: readonly Candidate[],
  query: string | null,
  intent: Intent | null,
  bonus: number,
): Steps<Candidate[]> {
  if (query === null || intent === null || bonus === 0) return [...candidates]
  const tests = [HEADING_IS_QUERY, ...FEATURES[intent]].map(feature => ({ feature, matches: feature.for(query) }))
  const passages = candidates.map(({ chunk }) => passageOf(chunk))
  const isNamed = yield* namedEntries(query, passages)
  const raised: Candidate[] = []
  for (const [at, candidate] of candidates.entries()) {
    const passage = passages[at] ?? passageOf(candidate.chunk)
    const isLinks = isLinkList(passage.text)
    const features = isLinks ? [LINKS] : isNamed[at] ? [ENTRY] : []
    for (const { feature, matches } of isLinks ? [] : tests) {
      if (matches(passage)) features.push(feature.name)
      yield
    }
    const count = features.length + features.filter(name => COUNTS_TWICE.includes(name)).length
    const gain = isLinks ? -Math.min(bonus, candidate.value) : (bonus * Math.min(count, 3)) / 2
    raised.push({ ...candidate, answerability: { bonus: gain, features }, value: candidate.value + gain })
  }
  return raised.sort(byValue)
}

function passageOf(chunk: Chunk): Passage & PlacedText {
  return {
    header: prefixOf(chunk.header, LONGEST_READ_QUESTION),
    place: prefixOf(`${documentName(chunk)} ${chunk.sectionPath}`, LONGEST_READ_QUESTION),
    text: prefixOf(chunk.text, LONGEST_SEARCHED),
  }
}

function textFeature(name: string, pattern: RegExp): Feature {
  const matches = ({ text }: Passage) => pattern.test(text)
  return { name, for: () => matches }
}

function subjects(query: string): string[] {
  return rawWords(query).filter(word => word.length > 2 && !QUESTION_WORDS.has(word))
}

/** Words with digits, words in capitals, options of commands, and quoted texts. */
function identifiers(query: string): string[] {
  return (
    query.match(
      /[A-Za-z]*[-_.]?\d[\w.-]*\w|\b[A-Z]{2,}[\w-]*\b|(?<![\w-])--[A-Za-z][\w-]*|(?<=["“`])[^"”`]+(?=["”`])/gu,
    ) ?? []
  )
}

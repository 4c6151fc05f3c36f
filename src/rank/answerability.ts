import type { Candidate, Chunk, Intent } from '../core/types.ts'
import { rawWords } from '../text/terms.ts'
import { byValue } from './order.ts'

interface Feature {
  name: string
  /** How many plain features it is worth. */
  weight: number
  fires: (chunk: Chunk, query: string) => boolean
}

/** The section's heading is the query itself, word for word: somebody wrote this section to answer it. */
const HEADING_ASKS: Feature = {
  name: 'heading asks it',
  weight: 2,
  fires: ({ header }, query) => {
    const asked = rawWords(query)
    return asked.length > 1 && rawWords(header).join(' ') === asked.join(' ')
  },
}

const NUMBER_WITH_UNIT: Feature = {
  name: 'number with unit',
  weight: 1,
  fires: ({ text }) =>
    /\d(?:[\d,.]*\d)?\s?(?:%|percent|°|[kmgt]?b\b|ms\b|s\b|sec|min|hours?\b|days?\b|weeks?\b|months?\b|years?\b|[kmc]?m\b|km|miles?\b|feet\b|[km]?g\b|kg|tons?\b|litres?\b|liters?\b|bar\b|watts?\b|volts?\b|\$|€|£|usd\b|eur\b|coins?\b)/iu.test(
      text,
    ) || /[$€£]\s?\d/u.test(text),
}
const DATE: Feature = {
  name: 'date',
  weight: 1,
  fires: ({ text }) =>
    /\b\d{4}-\d{2}-\d{2}\b|\b(?:1[0-9]|20)\d{2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d/iu.test(
      text,
    ),
}
const TABLE: Feature = { name: 'table', weight: 1, fires: ({ text }) => /^\s*\|.*\d.*\|/mu.test(text) }
/** A sentence that opens with the subject and goes on "is a", "was the", "means": not one that only mentions it. */
const DEFINITION: Feature = {
  name: 'definitional sentence',
  weight: 1,
  fires: ({ text }, query) => {
    const asked = new Set(subjects(query))
    return [...text.matchAll(DEFINITIONAL)].some(([, subject, other]) =>
      rawWords(subject ?? other ?? '').some(word => asked.has(word)),
    )
  },
}
const DEFINITIONAL =
  /(?:^|[.?!:]["”']?\s+|\n)[*_>\s]*((?:(?:the|an?)\s+)?[\p{L}\p{N}][\p{L}\p{N}'’ -]{0,60}?)[*_]*,?\s+(?:is|are|was|were)\s+(?:an?|the|one of|neither|not)\b|(?:^|\n)[*_>\s]*([\p{L}\p{N}][\p{L}\p{N}'’ -]{0,60}?)[*_]*\s+(?:means|denotes|refers to|stands for)\b/giu
const STEPS: Feature = {
  name: 'numbered steps',
  weight: 1,
  fires: ({ text }) => /^\s*(?:\d+[.)]|step \d+)/imu.test(text),
}
const IMPERATIVE: Feature = {
  name: 'imperative sentence',
  weight: 1,
  fires: ({ text }) =>
    /(?:^|[.:]\s+|^\s*[-*\d.)]+\s+)(?:open|close|set|turn|press|click|run|add|remove|install|use|check|select|enter|create|start|stop|make sure|ensure|wait|send|call|pull|push|lift|drain|replace)\b/imu.test(
      text,
    ),
}
const EXACT_IDENTIFIER: Feature = {
  name: 'exact identifier',
  weight: 1,
  fires: ({ text }, query) => identifiers(query).some(identifier => text.includes(identifier)),
}
const COMPARATIVE: Feature = {
  name: 'comparative sentence',
  weight: 1,
  fires: ({ text }) => /\b(?:than|whereas|while|unlike|compared|instead of|in contrast|however|both)\b/iu.test(text),
}

/** What an answer to each intent tends to hold. Exploratory questions ask for nothing in particular. */
const FEATURES: Record<Intent, readonly Feature[]> = {
  definition: [DEFINITION],
  measurement: [NUMBER_WITH_UNIT, DATE, TABLE],
  procedure: [STEPS, IMPERATIVE],
  identifier: [EXACT_IDENTIFIER],
  comparison: [COMPARATIVE, TABLE],
  exploratory: [],
}

/**
 * Adds a bonus to candidates that look like an answer to the intent, and sorts by the new value: half of `bonus` for one feature,
 * all of it for two, 1.5 times for three or more. A heading that is the query word for word counts twice.
 * @param query null when unknown; then no candidate gets a bonus
 * @param bonus middle of the range, on the scale of values in [0,1]; 0 switches the rule off
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
      const fired = [HEADING_ASKS, ...FEATURES[intent]].filter(({ fires }) => fires(candidate.chunk, query))
      const weight = fired.reduce((sum, feature) => sum + feature.weight, 0)
      const gain = (bonus * Math.min(weight, 3)) / 2
      return {
        ...candidate,
        answerability: { bonus: gain, features: fired.map(({ name }) => name) },
        value: candidate.value + gain,
      }
    })
    .sort(byValue)
}

/** The words that a definition must be of: those that are not the question's own. */
function subjects(query: string): string[] {
  const asking = new Set(
    'who what is are was were the a an define definition meaning of mean means does do stand stands for explain'.split(
      ' ',
    ),
  )
  return rawWords(query).filter(word => word.length > 2 && !asking.has(word))
}

function identifiers(query: string): string[] {
  return query.match(/[A-Za-z]*[-_.]?\d[\w.-]*\w|\b[A-Z]{2,}[\w-]*\b|(?<=["“`])[^"”`]+(?=["”`])/gu) ?? []
}

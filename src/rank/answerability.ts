import type { Candidate, Intent } from '../core/types.ts'
import { rawWords } from '../text/terms.ts'
import { byValue } from './order.ts'

interface Feature {
  name: string
  fires: (text: string, query: string) => boolean
}

const NUMBER_WITH_UNIT: Feature = {
  name: 'number with unit',
  fires: text =>
    /\d(?:[\d,.]*\d)?\s?(?:%|percent|°|[kmgt]?b\b|ms\b|s\b|sec|min|hours?\b|days?\b|weeks?\b|months?\b|years?\b|[kmc]?m\b|km|miles?\b|feet\b|[km]?g\b|kg|tons?\b|litres?\b|liters?\b|bar\b|watts?\b|volts?\b|\$|€|£|usd\b|eur\b|coins?\b)/iu.test(
      text,
    ) || /[$€£]\s?\d/u.test(text),
}
const DATE: Feature = {
  name: 'date',
  fires: text =>
    /\b\d{4}-\d{2}-\d{2}\b|\b(?:1[0-9]|20)\d{2}\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\s+\d/iu.test(
      text,
    ),
}
const TABLE: Feature = { name: 'table', fires: text => /^\s*\|.*\d.*\|/mu.test(text) }
const DEFINITION: Feature = {
  name: 'definitional sentence',
  fires: (text, query) =>
    subjects(query).some(subject => {
      const at = text.toLowerCase().indexOf(subject)
      return (
        at >= 0 &&
        /^[^.?!\n]{0,60}?\b(?:is|are|was|were|means|refers to|denotes|stands for)\b/iu.test(
          text.slice(at + subject.length, at + subject.length + 80),
        )
      )
    }),
}
const STEPS: Feature = { name: 'numbered steps', fires: text => /^\s*(?:\d+[.)]|step \d+)/imu.test(text) }
const IMPERATIVE: Feature = {
  name: 'imperative sentence',
  fires: text =>
    /(?:^|[.:]\s+|^\s*[-*\d.)]+\s+)(?:open|close|set|turn|press|click|run|add|remove|install|use|check|select|enter|create|start|stop|make sure|ensure|wait|send|call|pull|push|lift|drain|replace)\b/imu.test(
      text,
    ),
}
const EXACT_IDENTIFIER: Feature = {
  name: 'exact identifier',
  fires: (text, query) => identifiers(query).some(identifier => text.includes(identifier)),
}
const COMPARATIVE: Feature = {
  name: 'comparative sentence',
  fires: text => /\b(?:than|whereas|while|unlike|compared|instead of|in contrast|however|both)\b/iu.test(text),
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
 * Adds a bonus to candidates that look like an answer to the intent: half of `bonus` for one feature, all of it for two,
 * one and a half for three or more. Re-sorts by the new value.
 * @param bonus middle of the range, on the scale of values in [0,1]; 0 switches the rule off
 */
export function addAnswerability(
  candidates: readonly Candidate[],
  query: string,
  intent: Intent,
  bonus: number,
): Candidate[] {
  if (bonus === 0) return [...candidates]
  return candidates
    .map(candidate => {
      const features = FEATURES[intent]
        .filter(({ fires }) => fires(candidate.chunk.text, query))
        .map(({ name }) => name)
      const gain = (bonus * Math.min(features.length, 3)) / 2
      return { ...candidate, answerability: { bonus: gain, features }, value: candidate.value + gain }
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

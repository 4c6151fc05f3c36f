import type { JsonObject } from '../../core/types.ts'
import { type GoldenQuery, type GoldenSet, spread } from '../golden-set/golden-set.ts'

/** The set whose questions are about something else for every other set: its world is invented. */
export const OTHER_SET = 'isharoth'

/** Where questions come from, and why a set can have none of them. */
export const QUESTION_GROUPS = {
  answered: { title: 'golden questions', missing: 'there are none' },
  without: {
    title: 'golden questions without their documents',
    missing: 'only the documents of a folder can be left out',
  },
  unanswerable: { title: 'the subject, no answer', missing: 'no unanswerable.jsonl beside the queries' },
  other: { title: 'something else', missing: `the set has questions of ${OTHER_SET} itself` },
} as const
export type QuestionGroup = keyof typeof QUESTION_GROUPS
export const GROUP_NAMES = Object.keys(QUESTION_GROUPS) as QuestionGroup[]

/** A question, asked to the documents that its filter leaves. */
export interface GroupedQuestion {
  group: QuestionGroup
  query: GoldenQuery
}

/** The questions that the documents of a set are asked. */
interface QuestionSources {
  set: GoldenSet
  /** Questions about the subject of the set that its documents do not answer. */
  unanswerable: readonly GoldenQuery[]
  /** Questions about something else, unless they are questions of the set. */
  other: readonly GoldenQuery[]
}

/**
 * The questions to the documents of a set. One about something else is asked as a golden question is: as its tenant, and with its filter.
 * @param limit most questions of a group, at even distances
 */
export function questionsTo(
  { set, unanswerable, other }: QuestionSources,
  limit = Number.POSITIVE_INFINITY,
): GroupedQuestion[] {
  const answered = spread(set.queries, limit)
  const documents = set.documents.map(({ docId, text }) => ({ docId, text: squeezed(text) }))
  const asAsked = (query: GoldenQuery, at: number): GoldenQuery => {
    const { tenant = null, filter = null } = answered[at % answered.length] ?? {}
    return { ...query, tenant, filter }
  }
  const own = new Set(set.queries.map(({ query }) => query))
  const isForeign = !other.some(({ query }) => own.has(query))
  const groups: Record<QuestionGroup, GoldenQuery[]> = {
    answered,
    without: set.documents.length === 0 ? [] : answered.map(query => withoutGolds(query, documents)),
    unanswerable: spread(unanswerable, limit),
    other: isForeign ? spread(other, Math.min(limit, answered.length)).map(asAsked) : [],
  }
  return GROUP_NAMES.flatMap(group => groups[group].map(query => ({ group, query })))
}

/** The question to the documents that hold no gold passage of it, at its place or as a copy. */
function withoutGolds(query: GoldenQuery, documents: readonly { docId: string; text: string }[]): GoldenQuery {
  const { goldPassages, filter } = query
  const texts = goldPassages.map(({ text }) => squeezed(text))
  const places = goldPassages.flatMap(({ place }) => (place === null ? [] : [place.docId]))
  const copies = documents.filter(({ text }) => texts.some(gold => text.includes(gold))).map(({ docId }) => docId)
  const hidden: JsonObject[] = [{ key: 'doc_id', match: { any: [...new Set([...places, ...copies])] } }]
  return { ...query, filter: filter === null ? { must_not: hidden } : { must: [filter], must_not: hidden } }
}

const squeezed = (text: string): string => text.toLowerCase().replace(/\s+/gu, ' ').trim()

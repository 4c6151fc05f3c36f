import type { SearchResult } from '../../core/ports.ts'
import type { RetrievalMode, RetrievedList } from '../../core/types.ts'

/** What the search of one collection gave. */
export interface CollectionAnswer extends SearchResult {
  collection: string
}

/** A mode that has one list. */
export type SingleMode = Exclude<RetrievalMode, 'hybrid'>

/** The mode that is tried when the list of this one is not there. */
export const OTHER_MODE = { semantic: 'lexical', lexical: 'semantic' } as const

/** The kind of list that a mode wants alone. */
const WANTED = { semantic: 'dense', lexical: 'keyword' } as const

/** The collections that the other list has to answer for: those without a list, or all when nothing was found. */
export function unanswered(answers: readonly CollectionAnswer[]): string[] {
  const without = answers.some(({ lists }) => hitsOf(lists) > 0)
    ? answers.filter(({ lists }) => lists.length === 0)
    : answers
  return without.map(({ collection }) => collection)
}

/** Why the other list was searched. @param problem why there is no query vector, or why the query has no terms; null when neither is so */
export function fallbackReason(mode: SingleMode, answers: readonly CollectionAnswer[], problem: string | null): string {
  const wanted = WANTED[mode]
  const missing = answers.flatMap(({ missing }) => missing).find(reason => reason.startsWith(`${wanted}: `))
  return problem ?? missing ?? `${wanted}: nothing was found`
}

/** What an answer lacks. A collection that was made without a keyword list is searched as well as it can be by its dense one. */
export function faultsOf({ lists, missing }: CollectionAnswer): string[] {
  return lists.length > 0 ? missing.filter(reason => !reason.startsWith(`${WANTED.lexical}: `)) : missing
}

/** The mode that lists amount to; null without lists. */
export function modeOf(lists: readonly RetrievedList[]): RetrievalMode | null {
  const dense = lists.some(({ kind }) => kind === 'dense')
  const keyword = lists.some(({ kind }) => kind === 'keyword')
  if (dense) return keyword ? 'hybrid' : 'semantic'
  return keyword ? 'lexical' : null
}

export const hitsOf = (lists: readonly RetrievedList[]): number => lists.reduce((sum, { hits }) => sum + hits.length, 0)

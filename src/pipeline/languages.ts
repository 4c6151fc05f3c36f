import type { Reranker } from '../core/ports.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate } from '../core/types.ts'
import { searchedText } from '../rank/searched-text.ts'
import { knownLanguageOf } from '../text/language/language-of.ts'
import { reranks } from './plan/derived.ts'
import type { RankAndPackInput } from './rank-and-pack.ts'
import type { RunRecord } from './run-record.ts'

/** The language of each passage of which it can be told. */
export function* languagesOf(candidates: readonly Candidate[]): Steps<string[]> {
  const found: string[] = []
  for (const { chunk } of candidates) {
    const language = knownLanguageOf(searchedText(chunk))
    if (language !== null) found.push(language)
    yield
  }
  return found
}

/** Whether a model was made for the language of at least half of the passages. @param languages of the model; undefined: any */
export function readsMost(languages: readonly string[] | undefined, ofPassages: readonly string[]): boolean {
  return languages === undefined || 2 * ofPassages.filter(one => languages.includes(one)).length >= ofPassages.length
}

/**
 * The reranker that orders the candidates: null when the plan has none, and when it was not made for the language of the question or of most passages,
 * which is a degradation, because a model makes the order worse in languages that it has not learned.
 */
export function rerankerFor(
  ofPassages: readonly string[],
  { query, plan, reranker }: Pick<RankAndPackInput, 'query' | 'plan' | 'reranker'>,
  record: RunRecord,
): Reranker | null {
  if (reranker === null || query === null || !reranks(plan)) return null
  const { languages, model } = reranker
  const asked = knownLanguageOf(query)
  const isQuestionRead = asked === null || languages === undefined || languages.includes(asked)
  if (isQuestionRead && readsMost(languages, ofPassages)) return reranker
  record.degrade('rerank_language_unread', `${model} reads ${languages?.join(', ')}`)
  return null
}

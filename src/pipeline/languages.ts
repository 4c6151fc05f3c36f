import type { Reranker } from '../core/ports.ts'
import type { Steps } from '../core/steps.ts'
import type { Candidate, RetrievedList } from '../core/types.ts'
import { searchedText } from '../rank/searched-text.ts'
import { knownLanguageOf } from '../text/language/language-of.ts'
import { reranks } from './plan/derived.ts'
import type { Plan } from './plan/plan.ts'
import type { RunRecord } from './run-record.ts'

/** Who orders the candidates of a question. */
interface Readers {
  /** Null when the plan has none, or when it does not read the candidates. */
  reranker: Reranker | null
  /**
   * Whether the dense list says most where no reranker corrects the keyword list: the embedder reads the candidates. Candidates of a dense list alone
   * have been chosen by it already, and their keywords are the only second opinion.
   */
  leansOnDense: boolean
}

export interface ReadersInput {
  /** Null without query text. */
  query: string | null
  plan: Plan
  lists: RetrievedList[]
  reranker: Reranker | null
  /** The languages that the dense vectors were made for, as `languageOf` names them; absent: any. */
  denseLanguages?: readonly string[] | undefined
}

export function* readersOf(
  candidates: readonly Candidate[],
  { query, plan, lists, reranker, denseLanguages }: ReadersInput,
  record: RunRecord,
): Steps<Readers> {
  if (query === null) return { reranker: null, leansOnDense: false }
  const languages = yield* languagesOf(candidates)
  const reading = reranks(plan) && reranker !== null && isReadBy(reranker, query, languages, record) ? reranker : null
  const hasKeywords = lists.some(({ kind }) => kind === 'keyword')
  return { reranker: reading, leansOnDense: hasKeywords && readsMost(denseLanguages, languages) }
}

/**
 * Whether a reranker was made for the language of the question and for that of most passages. When it was not, that is a degradation: a model makes the
 * order worse in languages that it has not learned.
 */
function isReadBy({ languages }: Reranker, query: string, ofPassages: readonly string[], record: RunRecord): boolean {
  const asked = knownLanguageOf(query)
  const isQuestionRead = asked === null || languages === undefined || languages.includes(asked)
  if (isQuestionRead && readsMost(languages, ofPassages)) return true
  record.degrade('rerank_language_unread', `the reranker reads ${languages?.join(', ')}`)
  return false
}

/** Whether a model was made for the language of at least half of the passages. @param languages of the model; undefined: any */
export function readsMost(languages: readonly string[] | undefined, ofPassages: readonly string[]): boolean {
  return languages === undefined || 2 * ofPassages.filter(one => languages.includes(one)).length >= ofPassages.length
}

/** The language of each passage of which it can be told. */
function* languagesOf(candidates: readonly Candidate[]): Steps<string[]> {
  const found: string[] = []
  for (const { chunk } of candidates) {
    const language = knownLanguageOf(searchedText(chunk))
    if (language !== null) found.push(language)
    yield
  }
  return found
}

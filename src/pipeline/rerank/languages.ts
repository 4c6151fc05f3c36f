import type { Reranker } from '../../core/ports.ts'
import type { Steps } from '../../core/steps.ts'
import type { Candidate } from '../../core/types.ts'
import { searchedText } from '../../rank/searched-text.ts'
import { knownLanguageOf } from '../../text/language/language-of.ts'
import { reranks } from '../plan/derived.ts'
import type { RankAndPackInput } from '../rank-and-pack.ts'
import type { RunRecord } from '../run-record.ts'

/**
 * The reranker, when it was made for the language of the question and for that of at least half of the passages, as far as these can be told; else null, which is
 * a degradation: a model makes the order worse in languages that it has not learned.
 */
export function* rerankerThatReads(
  candidates: readonly Candidate[],
  { query, plan, reranker }: Pick<RankAndPackInput, 'query' | 'plan' | 'reranker'>,
  record: RunRecord,
): Steps<Reranker | null> {
  if (reranker?.languages === undefined || query === null || !reranks(plan)) return reranker
  const { languages, model } = reranker
  const ofPassages = yield* languagesOf(candidates)
  const unread = ofPassages.filter(language => !languages.includes(language))
  const asked = knownLanguageOf(query)
  const isQuestionRead = asked === null || languages.includes(asked)
  if (isQuestionRead && 2 * unread.length <= ofPassages.length) return reranker
  record.degrade('rerank_language_unread', `${model} reads ${languages.join(', ')}`)
  return null
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

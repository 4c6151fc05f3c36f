import { countOf } from '../core/collections.ts'
import { type PayloadMapping, readChunk } from '../qdrant/payload.ts'
import { knownLanguageOf } from '../text/language/language-of.ts'
import type { Setup } from './facts.ts'
import { type Finding, warn } from './finding.ts'

/** Says when most of the sampled texts are in languages that the reranker was not made for. */
export function checkLanguage(
  samples: readonly unknown[],
  reranker: Setup['reranker'],
  mapping: PayloadMapping | undefined,
): Finding[] {
  const languages = reranker?.languages
  if (languages === undefined) return []
  const found = samples
    .map(payload => knownLanguageOf(readChunk({ id: 0, payload }, '', mapping).text))
    .filter(language => language !== null)
  const unread = found.filter(language => !languages.includes(language))
  if (2 * unread.length <= found.length) return []
  const counted = [...countOf(unread)].map(([language, count]) => `${language} ${count}`).join(', ')
  return [
    warn(
      'language',
      `most of ${found.length} sampled texts are not in a language of the reranker (${languages.join(', ')}), which is left out: ${counted}`,
      'Set EMBEDDING_MODEL and RERANK_MODEL to multilingual models; docs/languages.md has more.',
    ),
  ]
}

import { countOf } from '../core/collections.ts'
import { readsMost } from '../pipeline/languages.ts'
import { type PayloadMapping, readChunk } from '../qdrant/payload/read-chunk.ts'
import { knownLanguageOf } from '../text/language/language-of.ts'
import type { Setup } from './facts.ts'
import { type Finding, warn } from './finding.ts'

/** Says when most of the sampled texts are in languages that the models were not made for. */
export function checkLanguage(
  samples: readonly unknown[],
  { embedder, reranker }: Pick<Setup, 'embedder' | 'reranker'>,
  mapping: PayloadMapping | undefined,
): Finding[] {
  const found = samples
    .map(payload => knownLanguageOf(readChunk({ id: 0, payload }, '', mapping).text))
    .filter(language => language !== null)
  const counted = [...countOf(found)].map(([language, count]) => `${language} ${count}`).join(', ')
  const check = (model: string, languages: readonly string[] | undefined, means: string, setting: string) =>
    readsMost(languages, found)
      ? []
      : [
          warn(
            'language',
            `most of ${found.length} sampled texts are not in a language of the ${model} (${languages?.join(', ')})${means}: ${counted}`,
            `Set ${setting} to a multilingual model; docs/languages.md has more.`,
          ),
        ]
  return [
    ...check('embedder', embedder?.languages, '', 'EMBEDDER and EMBEDDING_MODEL'),
    ...check('reranker', reranker?.languages, ', which is left out', 'RERANK_MODEL'),
  ]
}

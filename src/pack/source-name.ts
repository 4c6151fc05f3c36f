import { groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { Candidate, ContextOrder } from '../core/types.ts'
import { isGeneralTitle, titleKey } from '../text/names/document-name.ts'

/**
 * The candidates, with what the path says beside the title, or beside the name of the file of an untitled document, where another document among them has the
 * same, and where the title says nothing, such as "README": the reranker and the reader could not tell the "Setup" of two versions apart. What an earlier call has
 * found stays.
 *
 * @param order in `stable` the names do not depend on the candidates of a turn: all that are known are shown
 */
export function tellApart(candidates: readonly Candidate[], order: ContextOrder = 'relevance'): Candidate[] {
  const titles = groupBy(candidates, ({ chunk }) => titleKey(chunk))
  const isShared = (title: string) => new Set(titles.get(title)?.map(({ chunk }) => documentKey(chunk))).size > 1
  const isNamed = (title: string) => order === 'stable' || isGeneralTitle(title) || isShared(title)
  const named = new Set([...titles.keys()].filter(title => title !== '' && isNamed(title)))
  return candidates.map(candidate => {
    const { docName } = candidate.chunk
    return docName === undefined || !named.has(titleKey(candidate.chunk))
      ? candidate
      : { ...candidate, sourceName: docName }
  })
}

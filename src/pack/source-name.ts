import { groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { Candidate, ContextOrder } from '../core/types.ts'
import { titleOf } from '../text/names/document-name.ts'

/**
 * The candidates, with what the path says beside the title, or beside the name of the file of an untitled document, where another document among them has the
 * same: the reranker and the reader could not tell the "Setup" of two versions apart. What an earlier call has found stays.
 *
 * @param order in `stable` the names do not depend on the candidates of a turn: all that are known are shown
 */
export function tellApart(candidates: readonly Candidate[], order: ContextOrder = 'relevance'): Candidate[] {
  const titles = groupBy(candidates, ({ chunk }) => titleOf(chunk))
  const isShared = (title: string) => new Set(titles.get(title)?.map(({ chunk }) => documentKey(chunk))).size > 1
  const shared = new Set([...titles.keys()].filter(title => title !== '' && (order === 'stable' || isShared(title))))
  return candidates.map(candidate => {
    const { docName } = candidate.chunk
    return docName === undefined || !shared.has(titleOf(candidate.chunk))
      ? candidate
      : { ...candidate, sourceName: docName }
  })
}

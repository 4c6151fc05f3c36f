import { groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { Candidate, ContextOrder } from '../core/types.ts'

/**
 * The candidates, with what the path says beside the title where another document among them has the same title: the reranker and the reader could not tell the
 * "Setup" of two versions apart. What an earlier call has found stays.
 *
 * @param order in `stable` the names do not depend on the candidates of a turn: all that are known are shown
 */
export function tellApart(candidates: readonly Candidate[], order: ContextOrder = 'relevance'): Candidate[] {
  const titles = groupBy(candidates, ({ chunk }) => chunk.docTitle)
  const isShared = (title: string) => new Set(titles.get(title)?.map(({ chunk }) => documentKey(chunk))).size > 1
  const shared = new Set([...titles.keys()].filter(title => title !== '' && (order === 'stable' || isShared(title))))
  return candidates.map(candidate => {
    const { docTitle, docName } = candidate.chunk
    return docName === undefined || !shared.has(docTitle) ? candidate : { ...candidate, sourceName: docName }
  })
}

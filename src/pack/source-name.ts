import { groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { Candidate, ContextOrder } from '../core/types.ts'

/**
 * The candidates, with what the path says beside the title where another document among them has the same title: a reader could not tell the "Setup" of two versions
 * apart. In the order `stable` it is shown beside every title, so that it does not depend on the candidates of a later turn.
 */
export function tellApart(candidates: readonly Candidate[], order: ContextOrder): Candidate[] {
  const titles = groupBy(candidates, ({ chunk }) => chunk.docTitle)
  const isShared = (title: string) => new Set(titles.get(title)?.map(({ chunk }) => documentKey(chunk))).size > 1
  const shared = new Set([...titles.keys()].filter(title => title !== '' && (order === 'stable' || isShared(title))))
  return candidates.map(candidate => {
    const { docTitle, docName } = candidate.chunk
    return docName === undefined || !shared.has(docTitle) ? candidate : { ...candidate, sourceName: docName }
  })
}

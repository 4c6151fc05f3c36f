import { groupBy } from '../core/collections.ts'
import { documentKey } from '../core/keys.ts'
import type { Candidate, ContextOrder } from '../core/types.ts'
import { isGeneralTitle, titleKey } from '../text/names/document-name.ts'
import { siteOf } from '../text/names/titled-path.ts'

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

/**
 * The candidates, whose titles are shown without the name of the site where all of them have the same: "Setup" of "Setup — Guide 2.1" when all documents are of Guide 2.1.
 * It tells none of them apart, and would take tokens in each source line. Documents without a title do not count.
 *
 * @param order in `stable` the source lines do not depend on the candidates of a turn: all titles are whole
 */
export function withoutSharedSite(candidates: readonly Candidate[], order: ContextOrder): readonly Candidate[] {
  const titles = [...new Set(candidates.map(({ chunk }) => chunk.docTitle))].filter(title => title !== '')
  if (order === 'stable' || titles.length < 2) return candidates
  const site = firstSiteOf(candidates)
  if (site === null) return candidates
  const { before, after } = site
  const hasSite = (title: string): boolean =>
    title.startsWith(before) && title.endsWith(after) && title.length > before.length + after.length
  if (!titles.every(hasSite)) return candidates
  return candidates.map(candidate => {
    const { docTitle } = candidate.chunk
    const pageTitle = docTitle.slice(before.length, docTitle.length - after.length)
    return docTitle === '' ? candidate : { ...candidate, pageTitle }
  })
}

/** The name of the site in the title of the first candidate that has one. The text above the first heading of a page does not tell it. */
function firstSiteOf(candidates: readonly Candidate[]): ReturnType<typeof siteOf> {
  for (const { chunk } of candidates) {
    const site = siteOf(chunk.docTitle, chunk.sectionPath)
    if (site !== null) return site
  }
  return null
}
